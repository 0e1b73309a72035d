; What rustc 1.95 makes, before its passes, of a kernel that multiplies a row by a column:
;     for (a, b) in a.iter().zip(b.chunks_exact(n)) { d += a * b[j]; }
; and by hand an entry that calls it.
@alloc_a6e8913658d98d0dbd0444b57ddfd811 = private unnamed_addr constant [27 x i8] c"chunk size must be non-zero", align 1
@alloc_e9481a72334486f24b2c0d82b25567e1 = private unnamed_addr constant [79 x i8] c"/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/slice/iter.rs\00", align 1
@alloc_85e74be42ba0951b09f45706d460b91a = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_e9481a72334486f24b2c0d82b25567e1, [16 x i8] c"N\00\00\00\00\00\00\00<\07\00\00\13\00\00\00" }>, align 8
@alloc_42f7df3295c087fcc645c3ecb6dc39c2 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_e9481a72334486f24b2c0d82b25567e1, [16 x i8] c"N\00\00\00\00\00\00\00?\07\00\00)\00\00\00" }>, align 8
@alloc_407a08af76ea9d71164233b08d7944b8 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_e9481a72334486f24b2c0d82b25567e1, [16 x i8] c"N\00\00\00\00\00\00\00q\07\00\00\11\00\00\00" }>, align 8
@alloc_ec595fc0e82ef92fc59bd74f68296eae = private unnamed_addr constant [73 x i8] c"assertion failed: 0 < pointee_size && pointee_size <= isize::MAX as usize", align 1
@alloc_88bfb5085a97a9f03cee2b9c3c42dd08 = private unnamed_addr constant [81 x i8] c"/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/ptr/non_null.rs\00", align 1
@alloc_7cb1dd7620319c06f8fe4029f6b4a0d1 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_88bfb5085a97a9f03cee2b9c3c42dd08, [16 x i8] c"P\00\00\00\00\00\00\00\B9\03\00\00 \00\00\00" }>, align 8
@alloc_e601a866d1cf2ec6a848a2d509ea4b02 = private unnamed_addr constant [5 x i8] c"z.rs\00", align 1
@alloc_2495b0affd67841a1ffa347296b6311c = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_e601a866d1cf2ec6a848a2d509ea4b02, [16 x i8] c"\04\00\00\00\00\00\00\00\05\00\00\00\22\00\00\00" }>, align 8
@alloc_555d0eb2a7d4af0fdd914062f6ee3a2e = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_e601a866d1cf2ec6a848a2d509ea4b02, [16 x i8] c"\04\00\00\00\00\00\00\00\05\00\00\00>\00\00\00" }>, align 8
define internal void @_RINvYINtNtNtCsgEmfK2I1SDS_4core5slice4iter4IterdENtNtNtNtBa_4iter6traits8iterator8Iterator3zipINtB6_11ChunksExactdEECs58K0ZnkfXLr_1z(ptr dead_on_unwind noalias noundef writable sret([72 x i8]) align 8 captures(address) dereferenceable(72) %_0, ptr noundef nonnull %self.0, ptr noundef %self.1, ptr dead_on_return noalias noundef align 8 captures(address) dereferenceable(40) %other) unnamed_addr #0 personality ptr @rust_eh_personality {
start:
  %0 = alloca [16 x i8], align 8
  %_5 = alloca [1 x i8], align 1
  %b = alloca [40 x i8], align 8
  store i8 1, ptr %_5, align 1
  call void @llvm.lifetime.start.p0(ptr %b)
  call void @_RNvXNtNtNtCsgEmfK2I1SDS_4core4iter6traits7collectINtNtNtB8_5slice4iter11ChunksExactdENtB2_12IntoIterator9into_iterCs58K0ZnkfXLr_1z(ptr noalias noundef sret([40 x i8]) align 8 captures(none) dereferenceable(40) %b, ptr noalias noundef readonly align 8 captures(none) dereferenceable(40) %other) #9
  br label %bb1
bb1:                                              ; preds = %start
  store i8 0, ptr %_5, align 1
  call void @_RNvXs3_NtNtNtCsgEmfK2I1SDS_4core4iter8adapters3zipINtB5_3ZipINtNtNtBb_5slice4iter4IterdEINtBZ_11ChunksExactdEEINtB5_7ZipImplBW_B1o_E3newCs58K0ZnkfXLr_1z(ptr noalias noundef sret([72 x i8]) align 8 captures(none) dereferenceable(72) %_0, ptr noundef nonnull %self.0, ptr noundef %self.1, ptr noalias noundef readonly align 8 captures(address) dereferenceable(40) %b) #10
  br label %bb5
bb5:                                              ; preds = %bb1
  call void @llvm.lifetime.end.p0(ptr %b)
  ret void
bb4:                                              ; No predecessors!
  %1 = load i8, ptr %_5, align 1, !range !3, !noundef !4
  %2 = trunc nuw i8 %1 to i1
  br i1 %2, label %bb3, label %bb2
bb2:                                              ; preds = %bb3, %bb4
  %3 = load ptr, ptr %0, align 8, !noundef !4
  %4 = getelementptr inbounds i8, ptr %0, i64 8
  %5 = load i32, ptr %4, align 8, !noundef !4
  call void @llvm.lifetime.end.p0(ptr %0)
  %6 = insertvalue { ptr, i32 } poison, ptr %3, 0
  %7 = insertvalue { ptr, i32 } %6, i32 %5, 1
  resume { ptr, i32 } %7
bb3:                                              ; preds = %bb4
  br label %bb2
}
define internal void @_RNvMNtCsgEmfK2I1SDS_4core5sliceSd12chunks_exactCs58K0ZnkfXLr_1z(ptr dead_on_unwind noalias noundef writable sret([40 x i8]) align 8 captures(none) dereferenceable(40) %_0, ptr noalias noundef nonnull readonly align 8 captures(address, read_provenance) %self.0, i64 noundef range(i64 0, 1152921504606846976) %self.1, i64 noundef %chunk_size, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24) %0) unnamed_addr #0 {
start:
  %_11 = alloca [32 x i8], align 8
  %1 = icmp eq i64 %chunk_size, 0
  %2 = call i1 @llvm.expect.i1(i1 %1, i1 false)
  br i1 %2, label %bb2, label %bb1
bb2:                                              ; preds = %start
  call void @llvm.assume(i1 true)
  %3 = icmp ne ptr inttoptr (i64 55 to ptr), null
  call void @llvm.assume(i1 %3)
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking9panic_fmt(ptr noundef nonnull @alloc_a6e8913658d98d0dbd0444b57ddfd811, ptr noundef nonnull inttoptr (i64 55 to ptr), ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24) %0) #11
  unreachable
bb1:                                              ; preds = %start
  %_7 = icmp eq i64 %chunk_size, 0
  br i1 %_7, label %panic, label %bb3
bb3:                                              ; preds = %bb1
  %rem = urem i64 %self.1, %chunk_size
  %fst_len = sub i64 %self.1, %rem
  call void @llvm.lifetime.start.p0(ptr %_11)
  call void @_RNvMNtCsgEmfK2I1SDS_4core5sliceSd18split_at_uncheckedCs58K0ZnkfXLr_1z(ptr noalias noundef sret([32 x i8]) align 8 captures(none) dereferenceable(32) %_11, ptr noalias noundef nonnull readonly align 8 captures(address, read_provenance) %self.0, i64 noundef %self.1, i64 noundef %fst_len, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24) @alloc_42f7df3295c087fcc645c3ecb6dc39c2) #9
  %fst.0 = load ptr, ptr %_11, align 8, !nonnull !4, !align !5, !noundef !4
  %4 = getelementptr inbounds i8, ptr %_11, i64 8
  %fst.1 = load i64, ptr %4, align 8, !noundef !4
  %5 = getelementptr inbounds i8, ptr %_11, i64 16
  %snd.0 = load ptr, ptr %5, align 8, !nonnull !4, !align !5, !noundef !4
  %6 = getelementptr inbounds i8, ptr %5, i64 8
  %snd.1 = load i64, ptr %6, align 8, !noundef !4
  call void @llvm.lifetime.end.p0(ptr %_11)
  store ptr %fst.0, ptr %_0, align 8
  %7 = getelementptr inbounds i8, ptr %_0, i64 8
  store i64 %fst.1, ptr %7, align 8
  %8 = getelementptr inbounds i8, ptr %_0, i64 16
  store ptr %snd.0, ptr %8, align 8
  %9 = getelementptr inbounds i8, ptr %8, i64 8
  store i64 %snd.1, ptr %9, align 8
  %10 = getelementptr inbounds i8, ptr %_0, i64 32
  store i64 %chunk_size, ptr %10, align 8
  ret void
panic:                                            ; preds = %bb1
  call void @_RNvNtNtCsgEmfK2I1SDS_4core9panicking11panic_const23panic_const_rem_by_zero(ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24) @alloc_85e74be42ba0951b09f45706d460b91a) #11
  unreachable
}
define internal void @_RNvMNtCsgEmfK2I1SDS_4core5sliceSd18split_at_uncheckedCs58K0ZnkfXLr_1z(ptr dead_on_unwind noalias noundef writable sret([32 x i8]) align 8 captures(none) dereferenceable(32) %_0, ptr noalias noundef nonnull readonly align 8 captures(address, read_provenance) %self.0, i64 noundef range(i64 0, 1152921504606846976) %self.1, i64 noundef %mid, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24) %0) unnamed_addr #0 {
start:
  br label %bb2
bb2:                                              ; preds = %start
  br label %bb5
bb5:                                              ; preds = %bb2
  %data = getelementptr inbounds nuw double, ptr %self.0, i64 %mid
  %len = sub nuw i64 %self.1, %mid
  br label %bb8
bb8:                                              ; preds = %bb5
  store ptr %self.0, ptr %_0, align 8
  %1 = getelementptr inbounds i8, ptr %_0, i64 8
  store i64 %mid, ptr %1, align 8
  %2 = getelementptr inbounds i8, ptr %_0, i64 16
  store ptr %data, ptr %2, align 8
  %3 = getelementptr inbounds i8, ptr %2, i64 8
  store i64 %len, ptr %3, align 8
  ret void
bb1:                                              ; No predecessors!
  unreachable
bb3:                                              ; No predecessors!
  unreachable
bb4:                                              ; No predecessors!
  unreachable
bb6:                                              ; No predecessors!
  unreachable
bb7:                                              ; No predecessors!
  unreachable
}
define internal void @_RNvXNtNtNtCsgEmfK2I1SDS_4core4iter6traits7collectINtNtNtB8_5slice4iter11ChunksExactdENtB2_12IntoIterator9into_iterCs58K0ZnkfXLr_1z(ptr dead_on_unwind noalias noundef writable sret([40 x i8]) align 8 captures(none) dereferenceable(40) %_0, ptr dead_on_return noalias noundef readonly align 8 captures(none) dereferenceable(40) %self) unnamed_addr #0 {
start:
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %_0, ptr align 8 %self, i64 40, i1 false)
  ret void
}
define internal { ptr, i64 } @_RNvXs1q_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB6_11ChunksExactdENtNtNtNtBa_4iter6traits8iterator8Iterator24___iterator_get_uncheckedCs58K0ZnkfXLr_1z(ptr noalias noundef align 8 dereferenceable(40) %self, i64 noundef %idx) unnamed_addr #1 {
start:
  %0 = getelementptr inbounds i8, ptr %self, i64 32
  %_4 = load i64, ptr %0, align 8, !noundef !4
  %start1 = mul i64 %idx, %_4
  %self.0 = load ptr, ptr %self, align 8, !nonnull !4, !align !5, !noundef !4
  %1 = getelementptr inbounds i8, ptr %self, i64 8
  %self.1 = load i64, ptr %1, align 8, !noundef !4
  %data = getelementptr inbounds nuw double, ptr %self.0, i64 %start1
  %2 = getelementptr inbounds i8, ptr %self, i64 32
  %len = load i64, ptr %2, align 8, !noundef !4
  br label %bb3
bb3:                                              ; preds = %start
  %3 = insertvalue { ptr, i64 } poison, ptr %data, 0
  %4 = insertvalue { ptr, i64 } %3, i64 %len, 1
  ret { ptr, i64 } %4
bb1:                                              ; No predecessors!
  unreachable
bb2:                                              ; No predecessors!
  unreachable
}
define internal void @_RNvXs1q_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB6_11ChunksExactdENtNtNtNtBa_4iter6traits8iterator8Iterator9size_hintCs58K0ZnkfXLr_1z(ptr dead_on_unwind noalias noundef writable sret([24 x i8]) align 8 captures(none) dereferenceable(24) %_0, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(40) %self) unnamed_addr #0 {
start:
  %_7.0 = load ptr, ptr %self, align 8, !nonnull !4, !align !5, !noundef !4
  %0 = getelementptr inbounds i8, ptr %self, i64 8
  %_7.1 = load i64, ptr %0, align 8, !noundef !4
  %1 = getelementptr inbounds i8, ptr %self, i64 32
  %_4 = load i64, ptr %1, align 8, !noundef !4
  %_5 = icmp eq i64 %_4, 0
  br i1 %_5, label %panic, label %bb1
bb1:                                              ; preds = %start
  %n = udiv i64 %_7.1, %_4
  store i64 %n, ptr %_0, align 8
  %2 = getelementptr inbounds i8, ptr %_0, i64 8
  store i64 1, ptr %2, align 8
  %3 = getelementptr inbounds i8, ptr %2, i64 8
  store i64 %n, ptr %3, align 8
  ret void
panic:                                            ; preds = %start
  call void @_RNvNtNtCsgEmfK2I1SDS_4core9panicking11panic_const23panic_const_div_by_zero(ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24) @alloc_407a08af76ea9d71164233b08d7944b8) #11
  unreachable
}
define internal noundef nonnull align 8 ptr @_RNvXs2J_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB6_4IterdENtNtNtNtBa_4iter6traits8iterator8Iterator24___iterator_get_uncheckedCs58K0ZnkfXLr_1z(ptr noalias noundef align 8 dereferenceable(16) %self, i64 noundef %idx) unnamed_addr #0 {
start:
  %_5 = load ptr, ptr %self, align 8, !nonnull !4, !noundef !4
  %0 = icmp ne ptr %_5, null
  call void @llvm.assume(i1 %0)
  %_3 = getelementptr inbounds nuw double, ptr %_5, i64 %idx
  ret ptr %_3
}
define internal void @_RNvXs2J_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB6_4IterdENtNtNtNtBa_4iter6traits8iterator8Iterator9size_hintCs58K0ZnkfXLr_1z(ptr dead_on_unwind noalias noundef writable sret([24 x i8]) align 8 captures(none) dereferenceable(24) %_0, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(16) %self) unnamed_addr #0 {
start:
  %exact = alloca [8 x i8], align 8
  br label %bb2
bb2:                                              ; preds = %start
  %0 = getelementptr inbounds i8, ptr %self, i64 8
  %_5 = load ptr, ptr %0, align 8, !noundef !4
  %1 = icmp ne ptr %_5, null
  call void @llvm.assume(i1 %1)
  %subtracted = load ptr, ptr %self, align 8, !nonnull !4, !noundef !4
  %2 = icmp ne ptr %_5, null
  call void @llvm.assume(i1 %2)
  %3 = icmp ne ptr %subtracted, null
  call void @llvm.assume(i1 %3)
  %4 = icmp ne ptr %_5, null
  call void @llvm.assume(i1 %4)
  br label %bb7
bb7:                                              ; preds = %bb2
  br label %bb8
bb8:                                              ; preds = %bb7
  br label %bb9
bb9:                                              ; preds = %bb8
  %5 = ptrtoint ptr %_5 to i64
  %6 = ptrtoint ptr %subtracted to i64
  %7 = sub nuw i64 %5, %6
  %8 = udiv exact i64 %7, 8
  store i64 %8, ptr %exact, align 8
  br label %bb3
bb10:                                             ; No predecessors!
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking5panic(ptr noalias noundef nonnull readonly align 1 captures(address, read_provenance) @alloc_ec595fc0e82ef92fc59bd74f68296eae, i64 noundef 73, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24) @alloc_7cb1dd7620319c06f8fe4029f6b4a0d1) #11
  unreachable
bb3:                                              ; preds = %bb9
  %_7 = load i64, ptr %exact, align 8, !noundef !4
  %_8.1 = load i64, ptr %exact, align 8, !noundef !4
  store i64 %_7, ptr %_0, align 8
  %9 = getelementptr inbounds i8, ptr %_0, i64 8
  store i64 1, ptr %9, align 8
  %10 = getelementptr inbounds i8, ptr %9, i64 8
  store i64 %_8.1, ptr %10, align 8
  ret void
bb1:                                              ; No predecessors!
  unreachable
bb5:                                              ; No predecessors!
  unreachable
bb6:                                              ; No predecessors!
  unreachable
}
define internal void @_RNvXs3_NtNtNtCsgEmfK2I1SDS_4core4iter8adapters3zipINtB5_3ZipINtNtNtBb_5slice4iter4IterdEINtBZ_11ChunksExactdEEINtB5_7ZipImplBW_B1o_E3newCs58K0ZnkfXLr_1z(ptr dead_on_unwind noalias noundef writable sret([72 x i8]) align 8 captures(none) dereferenceable(72) %_0, ptr noundef nonnull %0, ptr noundef %1, ptr dead_on_return noalias noundef readonly align 8 captures(address) dereferenceable(40) %b) unnamed_addr #1 personality ptr @rust_eh_personality {
start:
  %2 = alloca [16 x i8], align 8
  %_9 = alloca [40 x i8], align 8
  %a = alloca [16 x i8], align 8
  store ptr %0, ptr %a, align 8
  %3 = getelementptr inbounds i8, ptr %a, i64 8
  store ptr %1, ptr %3, align 8
  %v1 = call noundef i64 @_RNvYINtNtNtCsgEmfK2I1SDS_4core5slice4iter4IterdENtNtNtNtB9_4iter8adapters3zip27TrustedRandomAccessNoCoerce4sizeCs58K0ZnkfXLr_1z(ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(16) %a) #10
  br label %bb1
bb1:                                              ; preds = %start
  %v2 = call noundef i64 @_RNvYINtNtNtCsgEmfK2I1SDS_4core5slice4iter11ChunksExactdENtNtNtNtB9_4iter8adapters3zip27TrustedRandomAccessNoCoerce4sizeCs58K0ZnkfXLr_1z(ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(40) %b) #10
  br label %bb2
bb2:                                              ; preds = %bb1
  %len = call noundef i64 @_RNvYjNtNtCsgEmfK2I1SDS_4core3cmp3Ord3minCs58K0ZnkfXLr_1z(i64 noundef %v1, i64 noundef %v2) #9
  br label %bb6
bb6:                                              ; preds = %bb2
  %_8.0 = load ptr, ptr %a, align 8, !nonnull !4, !noundef !4
  %4 = getelementptr inbounds i8, ptr %a, i64 8
  %_8.1 = load ptr, ptr %4, align 8, !noundef !4
  call void @llvm.lifetime.start.p0(ptr %_9)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %_9, ptr align 8 %b, i64 40, i1 false)
  store ptr %_8.0, ptr %_0, align 8
  %5 = getelementptr inbounds i8, ptr %_0, i64 8
  store ptr %_8.1, ptr %5, align 8
  %6 = getelementptr inbounds i8, ptr %_0, i64 16
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %6, ptr align 8 %_9, i64 40, i1 false)
  %7 = getelementptr inbounds i8, ptr %_0, i64 56
  store i64 0, ptr %7, align 8
  %8 = getelementptr inbounds i8, ptr %_0, i64 64
  store i64 %len, ptr %8, align 8
  call void @llvm.lifetime.end.p0(ptr %_9)
  ret void
bb3:                                              ; No predecessors!
  %9 = load ptr, ptr %2, align 8, !noundef !4
  %10 = getelementptr inbounds i8, ptr %2, i64 8
  %11 = load i32, ptr %10, align 8, !noundef !4
  call void @llvm.lifetime.end.p0(ptr %2)
  %12 = insertvalue { ptr, i32 } poison, ptr %9, 0
  %13 = insertvalue { ptr, i32 } %12, i32 %11, 1
  resume { ptr, i32 } %13
}
define internal void @_RNvXs3_NtNtNtCsgEmfK2I1SDS_4core4iter8adapters3zipINtB5_3ZipINtNtNtBb_5slice4iter4IterdEINtBZ_11ChunksExactdEEINtB5_7ZipImplBW_B1o_E4nextCs58K0ZnkfXLr_1z(ptr dead_on_unwind noalias noundef writable sret([24 x i8]) align 8 captures(none) dereferenceable(24) %_0, ptr noalias noundef align 8 dereferenceable(72) %self) unnamed_addr #0 personality ptr @rust_eh_personality {
start:
  %0 = alloca [16 x i8], align 8
  %_6 = alloca [24 x i8], align 8
  %1 = getelementptr inbounds i8, ptr %self, i64 56
  %_3 = load i64, ptr %1, align 8, !noundef !4
  %2 = getelementptr inbounds i8, ptr %self, i64 64
  %_4 = load i64, ptr %2, align 8, !noundef !4
  %_2 = icmp ult i64 %_3, %_4
  br i1 %_2, label %bb1, label %bb4
bb4:                                              ; preds = %start
  store ptr null, ptr %_0, align 8
  br label %bb5
bb1:                                              ; preds = %start
  %3 = getelementptr inbounds i8, ptr %self, i64 56
  %i = load i64, ptr %3, align 8, !noundef !4
  %4 = getelementptr inbounds i8, ptr %self, i64 56
  %5 = getelementptr inbounds i8, ptr %self, i64 56
  %6 = load i64, ptr %5, align 8, !noundef !4
  %7 = add i64 %6, 1
  store i64 %7, ptr %4, align 8
  call void @llvm.lifetime.start.p0(ptr %_6)
  %_7 = call noundef nonnull align 8 ptr @_RNvXs2J_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB6_4IterdENtNtNtNtBa_4iter6traits8iterator8Iterator24___iterator_get_uncheckedCs58K0ZnkfXLr_1z(ptr noalias noundef align 8 dereferenceable(16) %self, i64 noundef %i) #9
  %_10 = getelementptr inbounds i8, ptr %self, i64 16
  %8 = call { ptr, i64 } @_RNvXs1q_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB6_11ChunksExactdENtNtNtNtBa_4iter6traits8iterator8Iterator24___iterator_get_uncheckedCs58K0ZnkfXLr_1z(ptr noalias noundef align 8 dereferenceable(40) %_10, i64 noundef %i) #10
  %_9.0 = extractvalue { ptr, i64 } %8, 0
  %_9.1 = extractvalue { ptr, i64 } %8, 1
  br label %bb3
bb5:                                              ; preds = %bb3, %bb4
  ret void
bb3:                                              ; preds = %bb1
  store ptr %_7, ptr %_6, align 8
  %9 = getelementptr inbounds i8, ptr %_6, i64 8
  store ptr %_9.0, ptr %9, align 8
  %10 = getelementptr inbounds i8, ptr %9, i64 8
  store i64 %_9.1, ptr %10, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %_0, ptr align 8 %_6, i64 24, i1 false)
  call void @llvm.lifetime.end.p0(ptr %_6)
  br label %bb5
bb6:                                              ; No predecessors!
  %11 = load ptr, ptr %0, align 8, !noundef !4
  %12 = getelementptr inbounds i8, ptr %0, i64 8
  %13 = load i32, ptr %12, align 8, !noundef !4
  call void @llvm.lifetime.end.p0(ptr %0)
  %14 = insertvalue { ptr, i32 } poison, ptr %11, 0
  %15 = insertvalue { ptr, i32 } %14, i32 %13, 1
  resume { ptr, i32 } %15
}
define internal noundef zeroext i1 @_RNvXsU_NtNtCsgEmfK2I1SDS_4core3cmp5implsjNtB7_10PartialOrd2lt(ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(8) %self, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(8) %other) unnamed_addr #2 {
start:
  %_3 = load i64, ptr %self, align 8, !noundef !4
  %_4 = load i64, ptr %other, align 8, !noundef !4
  %_0 = icmp ult i64 %_3, %_4
  ret i1 %_0
}
define internal noundef i64 @_RNvYINtNtNtCsgEmfK2I1SDS_4core5slice4iter11ChunksExactdENtNtNtNtB9_4iter8adapters3zip27TrustedRandomAccessNoCoerce4sizeCs58K0ZnkfXLr_1z(ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(40) %self) unnamed_addr #1 {
start:
  %_2 = alloca [24 x i8], align 8
  call void @llvm.lifetime.start.p0(ptr %_2)
  call void @_RNvXs1q_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB6_11ChunksExactdENtNtNtNtBa_4iter6traits8iterator8Iterator9size_hintCs58K0ZnkfXLr_1z(ptr noalias noundef sret([24 x i8]) align 8 captures(none) dereferenceable(24) %_2, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(40) %self) #9
  %_0 = load i64, ptr %_2, align 8, !noundef !4
  call void @llvm.lifetime.end.p0(ptr %_2)
  ret i64 %_0
}
define internal noundef i64 @_RNvYINtNtNtCsgEmfK2I1SDS_4core5slice4iter4IterdENtNtNtNtB9_4iter8adapters3zip27TrustedRandomAccessNoCoerce4sizeCs58K0ZnkfXLr_1z(ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(16) %self) unnamed_addr #1 {
start:
  %_2 = alloca [24 x i8], align 8
  call void @llvm.lifetime.start.p0(ptr %_2)
  call void @_RNvXs2J_NtNtCsgEmfK2I1SDS_4core5slice4iterINtB6_4IterdENtNtNtNtBa_4iter6traits8iterator8Iterator9size_hintCs58K0ZnkfXLr_1z(ptr noalias noundef sret([24 x i8]) align 8 captures(none) dereferenceable(24) %_2, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(16) %self) #9
  %_0 = load i64, ptr %_2, align 8, !noundef !4
  call void @llvm.lifetime.end.p0(ptr %_2)
  ret i64 %_0
}
define internal noundef i64 @_RNvYjNtNtCsgEmfK2I1SDS_4core3cmp3Ord3minCs58K0ZnkfXLr_1z(i64 noundef %0, i64 noundef %1) unnamed_addr #0 personality ptr @rust_eh_personality {
start:
  %2 = alloca [16 x i8], align 8
  %_6 = alloca [1 x i8], align 1
  %_0 = alloca [8 x i8], align 8
  %other = alloca [8 x i8], align 8
  %self = alloca [8 x i8], align 8
  store i64 %0, ptr %self, align 8
  store i64 %1, ptr %other, align 8
  store i8 1, ptr %_6, align 1
  %_3 = call noundef zeroext i1 @_RNvXsU_NtNtCsgEmfK2I1SDS_4core3cmp5implsjNtB7_10PartialOrd2lt(ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(8) %other, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(8) %self) #12
  br label %bb1
bb1:                                              ; preds = %start
  br i1 %_3, label %bb2, label %bb3
bb3:                                              ; preds = %bb1
  store i8 0, ptr %_6, align 1
  %3 = load i64, ptr %self, align 8, !noundef !4
  store i64 %3, ptr %_0, align 8
  br label %bb4
bb2:                                              ; preds = %bb1
  %4 = load i64, ptr %other, align 8, !noundef !4
  store i64 %4, ptr %_0, align 8
  br label %bb4
bb4:                                              ; preds = %bb2, %bb3
  %5 = load i64, ptr %_0, align 8, !noundef !4
  ret i64 %5
bb5:                                              ; No predecessors!
  br label %bb8
bb8:                                              ; preds = %bb5
  %6 = load i8, ptr %_6, align 1, !range !3, !noundef !4
  %7 = trunc nuw i8 %6 to i1
  br i1 %7, label %bb7, label %bb6
bb6:                                              ; preds = %bb7, %bb8
  %8 = load ptr, ptr %2, align 8, !noundef !4
  %9 = getelementptr inbounds i8, ptr %2, i64 8
  %10 = load i32, ptr %9, align 8, !noundef !4
  call void @llvm.lifetime.end.p0(ptr %2)
  %11 = insertvalue { ptr, i32 } poison, ptr %8, 0
  %12 = insertvalue { ptr, i32 } %11, i32 %10, 1
  resume { ptr, i32 } %12
bb7:                                              ; preds = %bb8
  br label %bb6
}
define internal noundef double @_RNvCs2_1k1k(ptr noalias noundef nonnull readonly align 8 captures(address, read_provenance) %a.0, i64 noundef range(i64 0, 1152921504606846976) %a.1, ptr noalias noundef nonnull readonly align 8 captures(address, read_provenance) %b.0, i64 noundef range(i64 0, 1152921504606846976) %b.1, i64 noundef %n, i64 noundef %j) unnamed_addr #1 {
start:
  %_9 = alloca [24 x i8], align 8
  %iter = alloca [72 x i8], align 8
  %_7 = alloca [40 x i8], align 8
  %_5 = alloca [72 x i8], align 8
  %d = alloca [8 x i8], align 8
  store double 0.000000e+00, ptr %d, align 8
  %0 = icmp ne ptr %a.0, null
  call void @llvm.assume(i1 %0)
  %1 = icmp ne ptr %a.0, null
  call void @llvm.assume(i1 %1)
  %2 = icmp ne ptr %a.0, null
  call void @llvm.assume(i1 %2)
  %3 = icmp ne ptr %a.0, null
  call void @llvm.assume(i1 %3)
  %_22 = getelementptr inbounds nuw double, ptr %a.0, i64 %a.1
  call void @llvm.lifetime.start.p0(ptr %_7)
  call void @_RNvMNtCsgEmfK2I1SDS_4core5sliceSd12chunks_exactCs58K0ZnkfXLr_1z(ptr noalias noundef sret([40 x i8]) align 8 captures(none) dereferenceable(40) %_7, ptr noalias noundef nonnull readonly align 8 captures(address, read_provenance) %b.0, i64 noundef %b.1, i64 noundef %n, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24) @alloc_2495b0affd67841a1ffa347296b6311c) #9
  call void @_RINvYINtNtNtCsgEmfK2I1SDS_4core5slice4iter4IterdENtNtNtNtBa_4iter6traits8iterator8Iterator3zipINtB6_11ChunksExactdEECs58K0ZnkfXLr_1z(ptr noalias noundef sret([72 x i8]) align 8 captures(address) dereferenceable(72) %_5, ptr noundef nonnull %a.0, ptr noundef %_22, ptr noalias noundef align 8 captures(address) dereferenceable(40) %_7) #9
  call void @llvm.lifetime.end.p0(ptr %_7)
  call void @llvm.lifetime.start.p0(ptr %iter)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %iter, ptr align 8 %_5, i64 72, i1 false)
  br label %bb3
bb3:                                              ; preds = %bb7, %start
  call void @llvm.lifetime.start.p0(ptr %_9)
  call void @_RNvXs3_NtNtNtCsgEmfK2I1SDS_4core4iter8adapters3zipINtB5_3ZipINtNtNtBb_5slice4iter4IterdEINtBZ_11ChunksExactdEEINtB5_7ZipImplBW_B1o_E4nextCs58K0ZnkfXLr_1z(ptr noalias noundef sret([24 x i8]) align 8 captures(none) dereferenceable(24) %_9, ptr noalias noundef align 8 dereferenceable(72) %iter) #9
  %4 = load ptr, ptr %_9, align 8, !noundef !4
  %5 = ptrtoint ptr %4 to i64
  %6 = icmp eq i64 %5, 0
  %_11 = select i1 %6, i64 0, i64 1
  %7 = trunc nuw i64 %_11 to i1
  br i1 %7, label %bb5, label %bb6
bb5:                                              ; preds = %bb3
  %a = load ptr, ptr %_9, align 8, !nonnull !4, !align !5, !noundef !4
  %8 = getelementptr inbounds i8, ptr %_9, i64 8
  %b.01 = load ptr, ptr %8, align 8, !nonnull !4, !align !5, !noundef !4
  %9 = getelementptr inbounds i8, ptr %8, i64 8
  %b.12 = load i64, ptr %9, align 8, !noundef !4
  %_17 = icmp ult i64 %j, %b.12
  br i1 %_17, label %bb7, label %panic
bb6:                                              ; preds = %bb3
  call void @llvm.lifetime.end.p0(ptr %_9)
  call void @llvm.lifetime.end.p0(ptr %iter)
  %10 = load double, ptr %d, align 8, !noundef !4
  ret double %10
bb7:                                              ; preds = %bb5
  %11 = getelementptr inbounds nuw double, ptr %b.01, i64 %j
  %_15 = load double, ptr %11, align 8, !noundef !4
  %_27 = load double, ptr %a, align 8, !noundef !4
  %_14 = fmul double %_27, %_15
  %12 = load double, ptr %d, align 8, !noundef !4
  %13 = fadd double %12, %_14
  store double %13, ptr %d, align 8
  call void @llvm.lifetime.end.p0(ptr %_9)
  br label %bb3
panic:                                            ; preds = %bb5
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 noundef %j, i64 noundef %b.12, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24) @alloc_555d0eb2a7d4af0fdd914062f6ee3a2e) #11
  unreachable
bb4:                                              ; No predecessors!
  unreachable
}
declare noundef range(i32 0, 10) i32 @rust_eh_personality(i32 noundef, i32 noundef, i64 noundef, ptr noundef, ptr noundef) unnamed_addr #1
declare void @llvm.lifetime.start.p0(ptr captures(none)) #3
declare void @llvm.lifetime.end.p0(ptr captures(none)) #3
declare i1 @llvm.expect.i1(i1, i1) #4
declare void @llvm.assume(i1 noundef) #5
declare void @_RNvNtCsgEmfK2I1SDS_4core9panicking9panic_fmt(ptr noundef nonnull, ptr noundef nonnull, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24)) unnamed_addr #6
declare void @_RNvNtNtCsgEmfK2I1SDS_4core9panicking11panic_const23panic_const_rem_by_zero(ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24)) unnamed_addr #6
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #7
declare void @_RNvNtNtCsgEmfK2I1SDS_4core9panicking11panic_const23panic_const_div_by_zero(ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24)) unnamed_addr #6
declare void @_RNvNtCsgEmfK2I1SDS_4core9panicking5panic(ptr noalias noundef nonnull readonly align 1 captures(address, read_provenance), i64 noundef, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24)) unnamed_addr #6
declare void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 noundef, i64 noundef, ptr noalias noundef readonly align 8 captures(address, read_provenance) dereferenceable(24)) unnamed_addr #8
declare void @__smelt_kernel_id(i128)
declare void @__smelt_block_layout(i64, i64)
declare ptr @__smelt_arg_readonly(ptr)
declare ptr @__smelt_arg_unique(ptr)
declare i32 @__smelt_thread_idx_x()
define internal void @_RINvCs1_5smelt13___smelt_entryNvCs2_1k1kE(ptr %b) {
  call void @__smelt_kernel_id(i128 1)
  call void @__smelt_block_layout(i64 64, i64 8)
  %p0 = getelementptr i8, ptr %b, i64 16
  %xr = load ptr, ptr %p0, align 8
  %p1 = getelementptr i8, ptr %b, i64 24
  %xn = load i64, ptr %p1, align 8
  %p2 = getelementptr i8, ptr %b, i64 32
  %yr = load ptr, ptr %p2, align 8
  %p3 = getelementptr i8, ptr %b, i64 40
  %yn = load i64, ptr %p3, align 8
  %p4 = getelementptr i8, ptr %b, i64 48
  %zr = load ptr, ptr %p4, align 8
  %p5 = getelementptr i8, ptr %b, i64 56
  %n = load i64, ptr %p5, align 8
  %x = call ptr @__smelt_arg_readonly(ptr %xr)
  %y = call ptr @__smelt_arg_readonly(ptr %yr)
  %z = call ptr @__smelt_arg_unique(ptr %zr)
  %t = call i32 @__smelt_thread_idx_x()
  %j = zext i32 %t to i64
  %in = icmp ult i64 %j, %n
  br i1 %in, label %work, label %end
work:                                             ; preds = %0
  %d = call double @_RNvCs2_1k1k(ptr %x, i64 %xn, ptr %y, i64 %yn, i64 %n, i64 %j)
  %zj = getelementptr double, ptr %z, i64 %j
  store double %d, ptr %zj, align 8
  br label %end
end:                                              ; preds = %work, %0
  ret void
}
attributes #0 = { inlinehint nounwind nonlazybind uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #1 = { nounwind nonlazybind uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #2 = { alwaysinline nounwind nonlazybind uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #5 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #6 = { cold noinline noreturn nounwind nonlazybind uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #7 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #8 = { cold minsize noinline noreturn nounwind nonlazybind optsize uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #9 = { inlinehint nounwind }
attributes #10 = { nounwind }
attributes #11 = { noinline noreturn nounwind }
attributes #12 = { alwaysinline nounwind }
!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}
!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{i32 2, !"RtLibUseGOT", i32 1}
!2 = !{!"rustc version 1.95.0 (59807616e 2026-04-14)"}
!3 = !{i8 0, i8 2}
!4 = !{}
!5 = !{i64 8}

/*
 * Kernels for SMELT_SIM_CHECK=init, a line each: PLANT uses a value that
 * nothing has defined, and must be found at its line; SOUND only reads one, as
 * compilers do, and must be let pass. %0 is the work-item's offset, %1 the
 * address of 64 words that are defined. Registers from v12 and s24 on are not
 * set up.
 */
#include <stdint.h>

#define GLOBAL __attribute__((address_space(1)))
#define KERNEL                                                                 \
	__attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(1, 256))) void

#ifdef __GFX11__
#define VCC "vcc_lo"
#define S "s30"
#define AND_SAVE "s_and_saveexec_b32 s30, "
#define RESTORE "\n s_mov_b32 exec_lo, s30"
#define AND "s_and_b32 "
#else
#define VCC "vcc"
#define S "s[30:31]"
#define AND_SAVE "s_and_saveexec_b64 s[30:31], "
#define RESTORE "\n s_mov_b64 exec, s[30:31]"
#define AND "s_and_b64 "
#endif
#ifdef __gfx942__
#define OLD "sc0"
#else
#define OLD "glc"
#endif
#define STORE(reg) "\n global_store_dword %0, " reg ", %1"
#define USE(reg) "\n v_cmp_eq_u32 " VCC ", 5, " reg "\n s_cbranch_vccz 0"
#define WAIT "\n s_waitcnt vmcnt(0) lgkmcnt(0)"
#define END "\n s_endpgm"

#define CASE(name, ...)                                                        \
	KERNEL name(GLOBAL uint32_t *out)                                      \
	{                                                                      \
		__asm__ volatile(__VA_ARGS__                                   \
				 :                                             \
				 : "v"(__builtin_amdgcn_workitem_id_x() * 4),  \
				   "s"(out)                                    \
				 : "v12", "v13", "v14", "v15", "v16", "v17",   \
				   "s24", "s25", "s26", "s27", "s28", "s29",   \
				   "s30", "s31", "vcc", "scc", "memory");      \
	}
#define PLANT CASE
#define SOUND CASE

/* clang-format off */

/* ---- vector registers ---- */
PLANT(v_used, USE("v12"))
PLANT(v_stored_and_read, STORE("v12") "\n global_load_dword v13, %0, %1" WAIT USE("v13"))
PLANT(v_address, "global_load_dword v13, v[14:15], off" WAIT)
PLANT(v_offset, "global_load_dword v13, v12, %1" WAIT)
PLANT(v_sum, "v_add_u32 v13, v12, %0" USE("v13"))
PLANT(v_float, "v_mul_f32 v13, v12, %0" USE("v13"))
PLANT(v_wide, "v_lshlrev_b64 v[14:15], 3, v[12:13]" USE("v15"))
PLANT(v_other_lanes, "v_cmp_gt_u32 " VCC ", 64, %0\n " AND_SAVE VCC "\n v_mov_b32 v12, 1" RESTORE USE("v12"))
PLANT(v_exec, "v_cmp_eq_u32 " VCC ", v12, %0\n " AND_SAVE VCC)
PLANT(v_cmpx, "v_cmpx_eq_u32 v12, %0")
PLANT(v_vcc, "v_cmp_eq_u32 " VCC ", v12, %0\n s_cbranch_vccnz 0")
PLANT(v_first_lane, "v_readfirstlane_b32 s24, v12\n s_load_dword s26, %1, s24" WAIT)
PLANT(v_lane, "v_writelane_b32 v12, 1, 0\n v_readlane_b32 s24, v12, 1\n s_cmp_eq_u32 s24, 0\n s_cbranch_scc1 0")
PLANT(v_dpp, "v_mov_b32_dpp v13, v12 quad_perm:[1,1,1,1] row_mask:0xf bank_mask:0xf" USE("v13"))
PLANT(v_bpermute, "ds_bpermute_b32 v13, %0, v12" WAIT USE("v13"))
PLANT(v_select, "v_cmp_eq_u32 " VCC ", v12, %0\n v_cndmask_b32 v13, 1, %0, " VCC USE("v13"))
PLANT(v_atomic, "global_atomic_add v13, %0, v12, %1 " OLD WAIT)
PLANT(v_half, "global_load_short_d16 v12, %0, %1" WAIT "\n v_cmp_eq_u32 " VCC ", 5, v12\n s_cbranch_vccz 0")
PLANT(v_swapped, "v_mov_b32 v13, 1\n v_swap_b32 v12, v13" USE("v13"))
PLANT(v_bit, "v_and_b32 v13, 1, v12" USE("v13"))
PLANT(v_converted, "v_cvt_f64_u32 v[14:15], v12" USE("v14"))
#ifndef __GFX11__
PLANT(gfx9_agpr, "v_accvgpr_read_b32 v12, a12" USE("v12"))
PLANT(gfx9_agpr_stored, "global_store_dword %0, a12, %1\n global_load_dword v13, %0, %1" WAIT USE("v13"))
PLANT(gfx9_sdwa, "v_mov_b32 v13, 0\n v_add_u32_sdwa v13, v12, %0 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:DWORD" USE("v13"))
PLANT(gfx9_index, "s_set_gpr_idx_on s24, gpr_idx(SRC0)\n v_mov_b32 v13, v12\n s_set_gpr_idx_off")
PLANT(gfx9_packed, "v_mov_b32 v12, 1.0\n v_pk_add_f32 v[14:15], v[12:13], v[12:13]" USE("v15"))
#endif

/* ---- scalar registers ---- */
PLANT(s_address, "s_load_dword s26, s[24:25], 0" WAIT)
PLANT(s_moved, "v_mov_b32 v12, s24" USE("v12"))
PLANT(s_scc, "s_cmp_eq_u32 s24, 0\n s_cbranch_scc1 0")
PLANT(s_scc_of_sum, "s_add_u32 s25, s24, 1\n s_cbranch_scc0 0")
PLANT(s_scc_of_and, "s_and_b32 s25, s24, 2\n s_cbranch_scc0 0")
PLANT(s_carry, "s_add_u32 s25, s24, 1\n s_mov_b32 s26, 0\n s_addc_u32 s26, s26, 0\n s_cmp_eq_u32 s26, 0\n s_cbranch_scc0 0")
PLANT(s_selected, "s_cmp_eq_u32 s24, 0\n s_cselect_b32 s25, 1, 2\n v_mov_b32 v12, s25\n v_cmp_eq_u32 " VCC ", 1, v12\n s_cbranch_vccz 0")
PLANT(s_jump, "s_setpc_b64 s[24:25]")
PLANT(s_exec, AND_SAVE S)
PLANT(s_vcc, AND VCC ", " S ", -1\n s_cbranch_vccz 0")

/* ---- LDS and private memory ---- */
PLANT(lds_moved, "ds_read_b32 v12, %0" WAIT STORE("v12"))
PLANT(lds_branch, "ds_read_b32 v12, %0" WAIT "\n v_cmp_eq_u32 " VCC ", 5, v12\n s_cbranch_vccz 0")
PLANT(lds_address, "ds_read_b32 v12, v13" WAIT)
PLANT(lds_atomic, "ds_add_u32 %0, %0" WAIT)
PLANT(lds_passed_on, "ds_write_b32 %0, v12\n ds_read_b32 v13, %0" WAIT USE("v13"))
PLANT(lds_carried, "ds_read_b32 v12, %0" WAIT "\n v_mov_b32 v13, v12" STORE("v13"))
KERNEL private_used(GLOBAL uint32_t *out) { volatile uint32_t a[4]; a[0] = 1; if (a[1] == 5) out[0] = 1; } // PLANT(private_used,

/* ---- reads that decide nothing ---- */
SOUND(sound_unused, "v_add_u32 v13, v12, %0\n s_add_u32 s25, s24, 1")
SOUND(sound_stored, STORE("v12"))
SOUND(sound_copied, STORE("v12") "\n global_load_dword v13, %0, %1" WAIT STORE("v13"))
SOUND(sound_lds_copied, "ds_write_b32 %0, v12\n ds_read_b32 v13, %0" WAIT STORE("v13"))
SOUND(sound_and, "v_and_b32 v12, 0, v12" STORE("v12"))
SOUND(sound_lane, "v_writelane_b32 v12, 1, 0\n v_readlane_b32 s24, v12, 0\n s_cmp_eq_u32 s24, 0\n s_cbranch_scc1 0")
SOUND(sound_half, "global_load_short_d16 v12, %0, %1" WAIT "\n v_and_b32 v12, 0xffff, v12\n v_cmp_eq_u32 " VCC ", 5, v12\n s_cbranch_vccz 0" STORE("v12"))
SOUND(sound_low_sum, "global_load_short_d16 v12, %0, %1" WAIT "\n v_add_u32 v12, v12, %0\n v_mul_lo_u32 v12, v12, %0\n v_and_b32 v12, 0xffff, v12" STORE("v12"))
SOUND(sound_byte, "global_load_ubyte_d16 v12, %0, %1" WAIT "\n v_lshlrev_b32 v13, 16, v12\n v_lshrrev_b32 v13, 16, v13" STORE("v13"))
SOUND(sound_part_stored, "global_load_short_d16 v12, %0, %1" WAIT STORE("v12"))
SOUND(sound_short_stored, "global_load_short_d16 v12, %0, %1" WAIT "\n global_store_short %0, v12, %1")
SOUND(sound_mask, "v_cmp_eq_u32 " S ", v12, %0\n v_cmp_lt_u32 " VCC ", %0, 0\n " AND VCC ", " VCC ", " S "\n s_cbranch_vccnz 0\n " AND_SAVE VCC RESTORE)
SOUND(sound_other_lanes, "v_cmp_gt_u32 " VCC ", 64, %0\n " AND_SAVE VCC "\n v_mov_b32 v12, 1" STORE("v12") RESTORE)
SOUND(sound_select, "v_cmp_ge_u32 " VCC ", %0, 0\n v_cndmask_b32 v13, v12, %0, " VCC STORE("v13"))
SOUND(sound_saved, "ds_write_b32 %0, v12\n ds_read_b32 v13, %0" WAIT "\n v_or_b32 v13, -1, v13" STORE("v13"))
SOUND(sound_scc, "s_or_b32 s25, s24, 1\n s_cbranch_scc0 0")
SOUND(sound_scc_kept, "s_cmp_eq_u32 s24, s24\n s_cmp_eq_u32 0, 0\n s_mov_b32 s25, s24\n s_cbranch_scc0 0")
SOUND(sound_exchange, "ds_wrxchg_rtn_b32 v12, %0, %0\n ds_read_b32 v13, %0" WAIT STORE("v13"))
SOUND(sound_swizzle, "ds_swizzle_b32 v13, %0 offset:0x8000" WAIT STORE("v13"))

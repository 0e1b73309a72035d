/*
 * What LLVM's C API cannot say: lazy reading, linking on demand, demangling,
 * and the names in debug info. Plain functions over C handles; see shim.h.
 */
#include "shim.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>
#include <cstring>

using namespace llvm;

static MemoryBufferRef
buffer_of(const char *data, size_t size, const char *name)
{
	return MemoryBufferRef(StringRef(data, size), name);
}

/* false and the message if there is an error. */
static bool
succeeded(Error error, char **message)
{
	if (!error)
		return true;
	*message = strdup(toString(std::move(error)).c_str());
	return false;
}

char *
cc_shim_demangle_v0(const char *symbol)
{
	return rustDemangle(symbol);
}

char *
cc_shim_producer(const char *data, size_t size, char **message)
{
	Expected<std::string> producer =
		getBitcodeProducerString(buffer_of(data, size, "bitcode"));

	if (!producer) {
		succeeded(producer.takeError(), message);
		return nullptr;
	}
	return strdup(producer->c_str());
}

LLVMModuleRef
cc_shim_open(LLVMContextRef context, const char *data, size_t size,
	     const char *name, char **message)
{
	Expected<std::unique_ptr<Module>> module = getLazyBitcodeModule(
		buffer_of(data, size, name), *unwrap(context), true);

	if (!module) {
		succeeded(module.takeError(), message);
		return nullptr;
	}
	return wrap(module->release());
}

bool
cc_shim_materialize(LLVMValueRef function, char **message)
{
	Function *f = cast<Function>(unwrap(function));

	return succeeded(f->getParent()->materializeMetadata(), message) &&
	       succeeded(f->materialize(), message);
}

bool
cc_shim_materialize_all(LLVMModuleRef module, char **message)
{
	return succeeded(unwrap(module)->materializeAll(), message);
}

/* The linker takes everything over that hangs on a compile unit, and all
 * variables with appending linkage, needed or not. */
static void
drop_unneeded(Module &module)
{
	for (const char *name : {"llvm.used", "llvm.compiler.used",
				 "llvm.global_ctors", "llvm.global_dtors"})
		if (GlobalVariable *global = module.getNamedGlobal(name))
			global->eraseFromParent();
	for (DICompileUnit *unit : module.debug_compile_units()) {
		unit->replaceEnumTypes({});
		unit->replaceRetainedTypes({});
		unit->replaceGlobalVariables({});
		unit->replaceImportedEntities({});
		unit->replaceMacros({});
	}
}

bool
cc_shim_link_needed(LLVMModuleRef dest, LLVMModuleRef source)
{
	std::unique_ptr<Module> owned(unwrap(source));
	char *message = nullptr;

	if (!succeeded(owned->materializeMetadata(), &message)) {
		free(message);
		return false;
	}
	drop_unneeded(*owned);
	return !Linker::linkModules(*unwrap(dest), std::move(owned),
				    Linker::LinkOnlyNeeded);
}

/* Puts a file without checksum in place of each that has one, wherever the node
 * or what hangs on it refers to it. */
static void
drop_checksums(MDNode *node, SmallPtrSetImpl<MDNode *> &seen)
{
	SmallVector<MDNode *, 32> work = {node};

	while (!work.empty()) {
		node = work.pop_back_val();
		if (!node || !seen.insert(node).second)
			continue;
		for (unsigned i = 0; i < node->getNumOperands(); i++) {
			Metadata *operand = node->getOperand(i);
			auto *file = dyn_cast_or_null<DIFile>(operand);

			if (file && file->getChecksum())
				node->replaceOperandWith(
					i, DIFile::get(node->getContext(),
						       file->getFilename(),
						       file->getDirectory()));
			else
				work.push_back(
					dyn_cast_or_null<MDNode>(operand));
		}
	}
}

void
cc_shim_strip_types(LLVMModuleRef handle)
{
	Module &module = *unwrap(handle);
	SmallPtrSet<MDNode *, 32> seen;

	stripNonLineTableDebugInfo(module);
	for (DICompileUnit *unit : module.debug_compile_units())
		drop_checksums(unit, seen);
	for (Function &function : module) {
		drop_checksums(function.getSubprogram(), seen);
		for (BasicBlock &block : function)
			for (Instruction &instruction : block)
				drop_checksums(instruction.getDebugLoc(), seen);
	}
}

LLVMMetadataRef
cc_shim_first_generic(LLVMValueRef function)
{
	DISubprogram *program =
		cast<Function>(unwrap(function))->getSubprogram();

	if (!program || program->getTemplateParams().empty())
		return nullptr;
	return wrap(program->getTemplateParams()[0]->getType());
}

static const char *
text_of(StringRef text)
{
	return text.data() ? text.data() : "";
}

LLVMMetadataRef
cc_shim_type_part(LLVMMetadataRef type, unsigned index, const char **field)
{
	*field = "";
	if (auto *derived = dyn_cast<DIDerivedType>(unwrap<DINode>(type)))
		return wrap(index ? nullptr : derived->getBaseType());
	auto *composite = dyn_cast<DICompositeType>(unwrap<DINode>(type));
	if (!composite)
		return nullptr;
	if (composite->getTag() == dwarf::DW_TAG_array_type)
		return wrap(index ? nullptr : composite->getBaseType());
	DINodeArray elements = composite->getElements();
	if (index >= elements.size())
		return nullptr;
	auto *element = dyn_cast_or_null<DIType>(elements[index]);
	if (element)
		*field = text_of(element->getName());
	return wrap(element);
}

bool
cc_shim_type_is_pointer(LLVMMetadataRef type)
{
	auto *derived = dyn_cast<DIDerivedType>(unwrap<DINode>(type));

	return derived && derived->getTag() == dwarf::DW_TAG_pointer_type &&
	       derived->getSizeInBits();
}

LLVMMetadataRef
cc_shim_subprogram(LLVMMetadataRef scope, const char **name,
		   const char **linkage_name)
{
	auto *local = dyn_cast_or_null<DILocalScope>(unwrap(scope));
	DISubprogram *function = local ? local->getSubprogram() : nullptr;

	if (!function)
		return nullptr;
	*name = text_of(function->getName());
	*linkage_name = text_of(function->getLinkageName());
	return wrap(function);
}

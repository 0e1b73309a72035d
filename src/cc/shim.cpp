/*
 * What LLVM's C API cannot say: lazy reading, linking on demand, demangling.
 * Plain functions over C handles; see shim.h.
 */
#include "shim.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

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

void
cc_shim_make_plain(LLVMValueRef atomic)
{
	lowerAtomicRMWInst(cast<AtomicRMWInst>(unwrap(atomic)));
}

LLVMBasicBlockRef
cc_shim_split(LLVMValueRef before)
{
	auto *instruction = unwrap<Instruction>(before);

	return wrap(instruction->getParent()->splitBasicBlock(instruction));
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

LLVMValueRef
cc_shim_copy_function(LLVMValueRef function, bool debug)
{
	ValueToValueMapTy map;
	Function *copy = CloneFunction(unwrap<Function>(function), map);

	if (!debug)
		stripDebugInfo(*copy);
	return wrap(copy);
}

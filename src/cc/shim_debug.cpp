/*
 * What LLVM's C API cannot say of debug info: its types, the names of its
 * functions, and leaving out what no line table needs. See shim.h.
 */
#include "shim.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

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

void
cc_shim_line_directives(LLVMModuleRef module)
{
	DebugInfoFinder finder;
	DenseMap<DICompileUnit *, DICompileUnit *> units;
	NamedMDNode *list = unwrap(module)->getNamedMetadata("llvm.dbg.cu");

	finder.processModule(*unwrap(module));
	for (DICompileUnit *old : finder.compile_units())
		units[old] = DICompileUnit::getDistinct(
			old->getContext(), old->getSourceLanguage(),
			old->getFile(), old->getProducer(), true, "", 0, "",
			DICompileUnit::DebugDirectivesOnly, nullptr, nullptr,
			nullptr, nullptr, nullptr, 0, false, false,
			DICompileUnit::DebugNameTableKind::None, false, "", "");
	for (DISubprogram *program : finder.subprograms())
		if (program->getUnit())
			program->replaceUnit(units[program->getUnit()]);
	for (unsigned i = 0; list && i < list->getNumOperands(); i++)
		list->setOperand(
			i, units[cast<DICompileUnit>(list->getOperand(i))]);
}

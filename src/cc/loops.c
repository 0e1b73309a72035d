/*
 * Bounds checks: out of loops before the main pipeline, out of straight-line
 * code behind it.
 */
#include "cc/checks.h"
#include "cc/lower.h"

void
lower_checks(struct cc_job *job)
{
	cc_passes(job, "function(sroa,early-cse<memssa>,"
		       "instcombine<no-verify-fixpoint>,simplifycfg,"
		       "loop-simplify,lcssa,loop-mssa(loop-rotate,licm),"
		       "instcombine<no-verify-fixpoint>,simplifycfg,"
		       "loop-simplify,lcssa)");
	if (cc_shim_hoist_checks(job->module))
		cc_passes(job, "function(simplifycfg)");
}

void
lower_straight_checks(struct cc_job *job)
{
	if (cc_shim_straight_checks(job->module))
		cc_passes(job, "function(simplifycfg,early-cse<memssa>)");
}

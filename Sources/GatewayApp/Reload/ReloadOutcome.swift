/// What came of a reload: the plan that is in force now, or would be; or why the old configuration stays.
public typealias ReloadOutcome = Result<ReloadPlan, ReloadFailure>

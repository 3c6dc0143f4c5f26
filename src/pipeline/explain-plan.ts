import type { JsonObject } from '../kit/json/json.ts'
import { describePlan, type RouteDependencies } from './describe-route.ts'
import type { OperationRequest } from './exchange/caller-request.ts'
import { type PlanDependencies, plan } from './plan.ts'
import { type ReadDependencies, read } from './read.ts'

export type ExplainDependencies = RouteDependencies &
  PlanDependencies &
  ReadDependencies & {
    readonly catalog: { current(): Parameters<typeof read>[1] }
  }

/**
 * The route that a request would go at this moment. No provider is called, nothing is held of a budget, and the request
 * has no row. Rejects with the error that its caller would be answered.
 */
export async function explainPlan(
  request: OperationRequest,
  dependencies: ExplainDependencies,
): Promise<JsonObject> {
  const catalog = dependencies.catalog.current()
  const exchange = await read(request, catalog, dependencies)
  return describePlan({ exchange, plan: plan({ exchange, catalog }, dependencies) }, dependencies)
}

import type { HealthScope, TripReason } from './assess-health-impact.ts'
import type { HealthLine } from './health-report.ts'

/** A request that shows whether a credential, its channel or a model has recovered. */
export type PlannedCheck =
  /** The provider's list of models. It is free, and shows that the channel can be reached and accepts the key. */
  | { readonly type: 'list' }
  /** A reply of one token, which shows that this model answers. */
  | { readonly type: 'one-token'; readonly upstreamModel: string }

export interface CheckInput {
  /** The health of all channels. */
  readonly lines: readonly HealthLine[]
  readonly channel: string
  /** Undefined if the channel has no credential. */
  readonly credentialId: string | undefined
  /** Whether the provider has a list of models. */
  readonly hasList: boolean
  /** Whether the provider gives the list only to callers with a key. */
  readonly listNeedsKey: boolean
  readonly mayGenerate: boolean
  /** The models to use in turn if the unhealthy part is wider than one model. Not each of them may converse. */
  readonly anyModels: readonly string[]
  /** The number of this check, so that every model has its turn. */
  readonly turn: number
}

/** The check that shows the most. Undefined if everything is healthy, or if no check can show a recovery. */
export function planCheck(input: CheckInput): PlannedCheck | undefined {
  const unhealthy = input.lines.filter((line) => concerns(line, input) && mayCheck(line))
  const byList = unhealthy.some(({ scope, reason }) => provesByList(scope, reason, input.listNeedsKey))
  if (input.hasList && byList) return { type: 'list' }
  if (!input.mayGenerate || unhealthy.length === 0) return undefined
  const models = unhealthy.flatMap(({ upstreamModel }) => upstreamModel ?? [])
  const isWider = unhealthy.length > models.length
  const wanted = models.length === 0 && isWider ? input.anyModels : models
  const upstreamModel = wanted[input.turn % Math.max(1, wanted.length)]
  return upstreamModel === undefined ? undefined : { type: 'one-token', upstreamModel }
}

/** Whether a list of models is evidence for this scope. A public list is no evidence about a key. */
export function provesByList(
  scope: HealthScope,
  reason: TripReason | undefined,
  listNeedsKey: boolean,
): boolean {
  if (scope === 'channel') return true
  return scope === 'credential' && reason === 'refused' && listNeedsKey
}

function concerns(line: HealthLine, { channel, credentialId }: CheckInput): boolean {
  return line.channel === channel && (line.scope === 'channel' || line.credentialId === credentialId)
}

/**
 * Whether a check can help. A provider that limits the rate names the time of the next request itself, and a check is a
 * conversation.
 */
function mayCheck({ state, reason, operations }: HealthLine): boolean {
  return state !== 'healthy' && reason !== 'rate-limited' && operations?.includes('conversation') !== false
}

import type { HealthScope, ShutReason } from './assess-health-impact.ts'
import type { HealthLine } from './health-report.ts'

/** What one credential is asked to learn whether it, its channel or a model is back. */
export type PlannedCheck =
  /** The provider's list of models: it costs nothing, and shows that the channel can be reached and the key is known. */
  | { readonly type: 'list' }
  /** An answer of one token, which shows that this model answers. */
  | { readonly type: 'one-token'; readonly upstreamModel: string }

export interface CheckInput {
  /** Of the whole book. */
  readonly lines: readonly HealthLine[]
  readonly channel: string
  /** Undefined where the channel has none. */
  readonly credentialId: string | undefined
  /** Whether there is a list to ask for. */
  readonly hasList: boolean
  /** Whether it is told only to who has a key. */
  readonly listNeedsKey: boolean
  readonly mayGenerate: boolean
  /** A model to ask for where it is not one model that is unwell. */
  readonly anyModel: string | undefined
  /** Counts the checks, so that every model has its turn. */
  readonly turn: number
}

/** The check that can tell most, or none where all is well or no check could tell. */
export function planCheck(input: CheckInput): PlannedCheck | undefined {
  const unhealthy = input.lines.filter((line) => concerns(line, input) && mayBeAsked(line))
  const byList = unhealthy.some(({ scope, reason }) => provesByList(scope, reason, input.listNeedsKey))
  if (input.hasList && byList) return { type: 'list' }
  if (!input.mayGenerate || unhealthy.length === 0) return undefined
  const models = unhealthy.flatMap(({ upstreamModel }) => upstreamModel ?? [])
  const isWider = unhealthy.length > models.length
  const upstreamModel =
    models[input.turn % Math.max(1, models.length)] ?? (isWider ? input.anyModel : undefined)
  return upstreamModel === undefined ? undefined : { type: 'one-token', upstreamModel }
}

/** What a list that was told speaks for. A public one says nothing of a key. */
export function provesByList(
  scope: HealthScope,
  reason: ShutReason | undefined,
  listNeedsKey: boolean,
): boolean {
  if (scope === 'channel') return true
  return scope === 'credential' && reason === 'refused' && listNeedsKey
}

function concerns(line: HealthLine, { channel, credentialId }: CheckInput): boolean {
  return line.channel === channel && (line.scope === 'channel' || line.credentialId === credentialId)
}

/** Whoever limits its rate has said, or will say, when it wants to be asked again. */
function mayBeAsked({ state, reason }: HealthLine): boolean {
  return state !== 'healthy' && reason !== 'rate-limited'
}

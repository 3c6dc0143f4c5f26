import type { JudgedRow, Observer } from '../telemetry/observer.ts'
import type { Alert, Condition } from './alert.ts'
import type { AlertRule } from './alert-rule-schema.ts'
import { matchesAny } from './match-names.ts'

/** A public name with the targets that have no price. */
export interface UnpricedTargets {
  readonly model: string
  readonly targets: readonly { readonly channel: string; readonly upstreamModel: string }[]
}

export type UnpricedRule = Extract<AlertRule, { kind: 'unpriced' }>

/** The limit on remembered targets. All of them come from the configuration. */
const MAX_TARGETS = 5_000

/** The last use of each target without a price. */
export class UnpricedUses implements Observer {
  readonly #usedAtMs = new Map<string, number>()

  requestEnded({ isOperator, model, attempts, endedAtMs }: JudgedRow): void {
    if (isOperator || model === undefined) return
    for (const { outcome, cost, channel, upstreamModel } of attempts) {
      // A cost is known, so the target has a price.
      if (outcome !== 'answered' || cost !== undefined) continue
      const target = targetOf(model, { channel, upstreamModel })
      if (this.#usedAtMs.has(target) || this.#usedAtMs.size < MAX_TARGETS)
        this.#usedAtMs.set(target, endedAtMs)
    }
  }

  /** Finds the models that are in use. `open` are alerts of this kind from before a restart. */
  judge(
    rule: UnpricedRule,
    { unpriced, open }: { readonly unpriced: readonly UnpricedTargets[]; readonly open: readonly Alert[] },
    nowMs: number,
  ): readonly Condition[] {
    const lastSeen = new Map(open.map((alert) => [alert.identity, lastUseOf(alert)]))
    return unpriced.flatMap(({ model, targets }): Condition[] => {
      if (!matchesAny(rule.models, model)) return []
      const uses = targets.map((target) => this.#usedAtMs.get(targetOf(model, target)) ?? 0)
      const usedAtMs = Math.max(lastSeen.get(unpricedIdentity(model)) ?? 0, ...uses)
      return nowMs - usedAtMs > rule.withinMs ? [] : [unpricedCondition(rule, model, { targets, usedAtMs })]
    })
  }
}

export function unpricedIdentity(model: string): string {
  return `unpriced:${model}`
}

function unpricedCondition(
  rule: UnpricedRule,
  model: string,
  { targets, usedAtMs }: { readonly targets: UnpricedTargets['targets']; readonly usedAtMs: number },
): Condition {
  const names = targets.map(({ channel, upstreamModel }) => `${channel}/${upstreamModel}`)
  return {
    identity: unpricedIdentity(model),
    kind: 'unpriced',
    rule: rule.name,
    level: 1,
    severity: rule.severity ?? 'warning',
    subject: { model },
    message: `the model ${model} is used without a price (${names.join(', ')}): what it costs is not counted`,
    advice: 'Give it a price under models in the configuration, or set "unpriced: refuse".',
    details: { model, targets: names, used_at: new Date(usedAtMs).toISOString() },
  }
}

function lastUseOf({ details: { used_at: usedAt } }: Alert): number {
  return typeof usedAt === 'string' ? Date.parse(usedAt) : 0
}

function targetOf(model: string, { channel, upstreamModel }: UnpricedTargets['targets'][number]): string {
  return `${model}\n${channel}/${upstreamModel}`
}

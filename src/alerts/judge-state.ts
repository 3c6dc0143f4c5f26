import type { ReportFault } from '../kit/time/clock.ts'
import { type DiskState, describeDisk } from '../telemetry/disk-guard.ts'
import type { ObservedHealthChange } from '../telemetry/observed-health-change.ts'
import { type Alert, type Condition, higherSeverity } from './alert.ts'
import type { AlertRule } from './alert-rule-schema.ts'
import type { AlertPolicy } from './alert-schema.ts'
import { type BudgetReading, judgeBudget } from './conditions/budget-condition.ts'
import { DISK_IDENTITY, diskCondition } from './conditions/disk-condition.ts'
import {
  type Expiring,
  type ExpiryRule,
  expiryCondition,
  expiryEnd,
  expiryIdentity,
  isLongExpired,
} from './conditions/expiry-conditions.ts'
import { isHealthIdentity } from './conditions/health-condition.ts'
import type { ChannelState, DownChannels, DownRule } from './down-channels.ts'
import type { AlertEnd } from './open-alerts.ts'
import type { TrafficWatch } from './traffic-watch.ts'
import {
  type UnpricedRule,
  type UnpricedTargets,
  type UnpricedUses,
  unpricedIdentity,
} from './unpriced-uses.ts'

/** The state that is checked periodically. */
export interface AlertSources {
  /** Every channel in service. */
  channels(): readonly ChannelState[]
  /** The identities of channels, credentials and models that are in rotation and were used since the start. */
  inRotation(): ReadonlySet<string>
  /** The channels, credentials and models that are out of rotation, as if they had just failed. */
  outOfRotation(): readonly ObservedHealthChange[]
  /** The valid keys that have an expiry. */
  keys(): readonly Expiring[]
  /** The certificates in use: those of listeners and those trusted for a channel. Those of one file have one ID. */
  certificates(): readonly Expiring[]
  unpriced(): readonly UnpricedTargets[]
  /** Undefined while the free space of the disk is unknown. */
  disk(): DiskState | undefined
  /** The amounts of an alert's budget. `gone` if the budget no longer exists. */
  budgetOf(alert: Alert): BudgetReading | 'gone'
}

/** The findings of one check. */
export interface Findings {
  readonly conditions: readonly Condition[]
  /** The ends of open alerts, by the identity of the alert. */
  readonly ends: ReadonlyMap<string, AlertEnd>
}

export interface StateToJudge {
  readonly policy: AlertPolicy
  readonly open: readonly Alert[]
  readonly nowMs: number
  readonly traffic: TrafficWatch
  readonly unpriced: UnpricedUses
  readonly down: DownChannels
  /** Called with the error of a check that failed. */
  readonly reportFault: ReportFault
}

/** Finds every condition that holds or ended at this time. */
export function judgeState(state: StateToJudge, sources: AlertSources): Findings {
  const { policy, open, nowMs, traffic } = state
  const ofTraffic = open.filter(({ kind }) => kind === 'error-rate' || kind === 'latency')
  const checks: (() => Findings)[] = [
    () => traffic.judge(ofTraffic, nowMs),
    () => judgeHealth(open, sources),
    () => judgeBudgets(state, sources),
    ...policy.rules.map((rule) => () => judgeRule(rule, state, sources)),
  ]
  const parts = checks.map((check) => judgeSafely(check, state.reportFault))
  // Several rules may judge one object, such as a key in its last month and in its last week. The most severe one
  // reports.
  const conditions = new Map<string, Condition>()
  for (const condition of parts.flatMap((part) => part.conditions)) {
    const known = conditions.get(condition.identity)
    if (known === undefined || isMoreSevere(condition, known)) conditions.set(condition.identity, condition)
  }
  const ends = parts.flatMap((part) => [...part.ends]).filter(([identity]) => !conditions.has(identity))
  return { conditions: [...conditions.values()], ends: new Map(ends) }
}

/** Runs one check. A fault in it is reported, and does not prevent the other checks. */
function judgeSafely(check: () => Findings, reportFault: ReportFault): Findings {
  try {
    return check()
  } catch (error) {
    reportFault('a check of alerts', error)
    return { conditions: [], ends: new Map() }
  }
}

function judgeRule(rule: AlertRule, state: StateToJudge, sources: AlertSources): Findings {
  switch (rule.kind) {
    case 'channel-down':
      return judgeDown(rule, state, sources)
    case 'key-expiry':
      return judgeExpiry(rule, sources.keys(), state)
    case 'certificate-expiry':
      return judgeExpiry(rule, sources.certificates(), state)
    case 'unpriced':
      return judgeUnpriced(rule, state, sources)
    case 'disk':
      return judgeDisk(rule, sources.disk())
    default:
      return { conditions: [], ends: new Map() }
  }
}

function isMoreSevere(condition: Condition, other: Condition): boolean {
  return (
    condition.severity !== other.severity &&
    higherSeverity(condition.severity, other.severity) === condition.severity
  )
}

/**
 * Ends alerts on targets that are in rotation although no event reported it, for example after a restart with another
 * key.
 */
function judgeHealth(open: readonly Alert[], sources: AlertSources): Findings {
  const ofHealth = open.filter(({ identity }) => isHealthIdentity(identity))
  if (ofHealth.length === 0) return { conditions: [], ends: new Map() }
  const inRotation = sources.inRotation()
  const over = ofHealth.filter(({ identity }) => inRotation.has(identity))
  const ends = over.map(({ identity, message }): [string, AlertEnd] => [
    identity,
    { as: 'recovered', message: `${message}; it is in rotation again` },
  ])
  return { conditions: [], ends: new Map(ends) }
}

/**
 * Judges the alerts on channels that are down. Alerts on refused certificates have the same kind, but a call ends
 * them.
 */
function judgeDown(rule: DownRule, { open, down, nowMs }: StateToJudge, sources: AlertSources): Findings {
  const opened = open.filter(({ kind, rule: name }) => kind === 'channel-down' && name === rule.name)
  const identities = new Set(opened.map(({ identity }) => identity))
  return down.judge(
    rule,
    { states: sources.channels(), isOpen: (identity) => identities.has(identity) },
    nowMs,
  )
}

/** A disk that changed its level before this process decided, such as during a restart, causes no event. */
function judgeDisk(rule: AlertRule, reading: DiskState | undefined): Findings {
  if (reading === undefined) return { conditions: [], ends: new Map() }
  const condition = diskCondition(reading, rule)
  if (condition !== undefined) return { conditions: [condition], ends: new Map() }
  const end = { as: 'recovered', message: describeDisk(reading) } as const
  return { conditions: [], ends: new Map([[DISK_IDENTITY, end]]) }
}

/**
 * Chooses one of several objects with the same ID, such as the certificates of a file: the one that expires first. One
 * that expired long ago is left out while there is another, since it is no longer in use.
 */
function chooseEarliest(rule: ExpiryRule, objects: readonly Expiring[], nowMs: number): readonly Expiring[] {
  return [...Map.groupBy(objects, ({ id }) => id).values()].flatMap((same) => {
    const [first, ...later] = same.toSorted((a, b) => a.expiresAtMs - b.expiresAtMs)
    const current = [first, ...later].find((object) => object && !isLongExpired(rule, object, nowMs))
    return current ?? first ?? []
  })
}

function judgeExpiry(
  rule: ExpiryRule,
  objects: readonly Expiring[],
  { open, nowMs }: StateToJudge,
): Findings {
  const judged = chooseEarliest(rule, objects, nowMs)
  const conditions = judged.flatMap((object) => expiryCondition(rule, object, nowMs) ?? [])
  const isWrong = new Set(conditions.map(({ identity }) => identity))
  const byIdentity = new Map(judged.map((object) => [expiryIdentity(rule, object.id), object]))
  const over = open.filter(
    ({ kind, rule: name, identity }) => kind === rule.kind && name === rule.name && !isWrong.has(identity),
  )
  const ends = over.map(({ identity, details }): [string, AlertEnd] => {
    const name = typeof details['name'] === 'string' ? details['name'] : identity
    return [identity, expiryEnd(rule, name, byIdentity.get(identity), nowMs)]
  })
  return { conditions, ends: new Map(ends) }
}

function judgeUnpriced(
  rule: UnpricedRule,
  { open, unpriced: uses, nowMs }: StateToJudge,
  sources: AlertSources,
): Findings {
  const opened = open.filter(({ kind, rule: name }) => kind === 'unpriced' && name === rule.name)
  const unpriced = sources.unpriced()
  const conditions = uses.judge(rule, { unpriced, open: opened }, nowMs)
  const inUse = new Set(conditions.map(({ identity }) => identity))
  const models = new Set(unpriced.map(({ model }) => unpricedIdentity(model)))
  const ends = opened
    .filter(({ identity }) => !inUse.has(identity))
    .map(({ identity, subject: { model = '' } }): [string, AlertEnd] => [
      identity,
      models.has(identity)
        ? { as: 'no-data', message: `the model ${model} is no longer used without a price` }
        : { as: 'recovered', message: `the model ${model} has a price, or is served no more` },
    ])
  return { conditions, ends: new Map(ends) }
}

function judgeBudgets({ open, policy }: StateToJudge, sources: AlertSources): Findings {
  const conditions: Condition[] = []
  const ends = new Map<string, AlertEnd>()
  for (const alert of open.filter(({ kind }) => kind === 'budget')) {
    const reading = sources.budgetOf(alert)
    const judged: Condition | AlertEnd | undefined =
      reading === 'gone'
        ? { as: 'changed', message: `the budget ${alert.subject.budget ?? ''} was removed` }
        : judgeBudget(alert, reading)
    if (judged === undefined) continue
    const rule = policy.rules.find(({ kind, name }) => kind === 'budget' && name === alert.rule)
    if ('identity' in judged) conditions.push({ ...judged, severity: rule?.severity ?? judged.severity })
    else ends.set(alert.identity, judged)
  }
  return { conditions, ends }
}

import type { ReportFault } from '../kit/time/clock.ts'
import { DAY_MS } from '../kit/time/time-units.ts'
import { writeTime } from '../kit/time/write-time.ts'
import type { ReachedThreshold } from '../metering/budgets/reached-threshold.ts'
import { type DiskState, describeDisk } from '../telemetry/disk-guard.ts'
import type { ObservedHealthChange } from '../telemetry/observed-health-change.ts'
import type { JudgedRow, Observer } from '../telemetry/observer.ts'
import type { Acknowledgement, Alert, AlertEvent, AlertKind, Condition, Mute } from './alert.ts'
import type { AlertRule, TrafficRule } from './alert-rule-schema.ts'
import type { AlertPolicy } from './alert-schema.ts'
import { budgetCondition, budgetIdentity } from './conditions/budget-condition.ts'
import { DISK_IDENTITY, diskCondition } from './conditions/disk-condition.ts'
import {
  describeHealthEnd,
  healthCondition,
  healthIdentity,
  kindOfReason,
} from './conditions/health-condition.ts'
import { DownChannels } from './down-channels.ts'
import { type AlertSources, type Findings, judgeState } from './judge-state.ts'
import { matchesAny } from './match-names.ts'
import { type AlertEnd, OpenAlerts } from './open-alerts.ts'
import { TrafficWatch } from './traffic-watch.ts'
import { UnpricedUses } from './unpriced-uses.ts'

export interface AlertMonitorOptions {
  readonly policy: AlertPolicy
  readonly createId: (nowMs: number) => string
  /** The wall-clock time, in milliseconds since 1970. */
  readonly nowMs: () => number
  /** Removes secrets from the texts of an alert. */
  readonly redact: (text: string) => string
  /** Called once for each event that is reported. */
  readonly onEvent: (event: AlertEvent) => void
  /** Called when an alert changes and must be stored again. */
  readonly onChange: (alert: Alert) => void
  /** Called when an alert is not opened because the limit on open alerts is reached. */
  readonly onOverflow: () => void
  /** Called with the error of a periodic check that failed. */
  readonly reportFault: ReportFault
}

/**
 * Kinds with a repeat interval of their own. Each threshold of a budget is reported once, and a daily reminder is
 * enough for something that expires.
 */
const repeatMsOfKind: Partial<Record<AlertKind, number | 'never'>> = {
  budget: 'never',
  'key-expiry': DAY_MS,
  'certificate-expiry': DAY_MS,
  unpriced: DAY_MS,
}

/** Finds problems by the rules in force: receives events, checks the state periodically, and reports changes. */
export class AlertMonitor implements Observer {
  readonly #options: AlertMonitorOptions
  readonly #open: OpenAlerts
  readonly #traffic = new TrafficWatch()
  readonly #unpriced = new UnpricedUses()
  readonly #down = new DownChannels()
  #policy: AlertPolicy

  constructor(options: AlertMonitorOptions) {
    this.#options = options
    this.#policy = options.policy
    this.#open = new OpenAlerts(options.createId)
    this.#traffic.change(trafficRulesOf(options.policy), options.nowMs())
  }

  /** Loads the alerts that were open before a restart. */
  load(alerts: readonly Alert[]): void {
    this.#open.load(alerts)
  }

  /** Forgets every alert and all counts of traffic. */
  forget(): void {
    const { nowMs } = this.#options
    this.#open.clear()
    this.#traffic.change([], nowMs())
    this.#traffic.change(trafficRulesOf(this.#policy), nowMs())
  }

  get open(): readonly Alert[] {
    return this.#open.all
  }

  get policy(): AlertPolicy {
    return this.#policy
  }

  change(policy: AlertPolicy): void {
    this.#policy = policy
    this.#traffic.change(trafficRulesOf(policy), this.#options.nowMs())
    const isInForce = ({ kind, rule }: Alert) =>
      policy.rules.some((each) => each.kind === kind && each.name === rule)
    for (const alert of this.#open.all)
      if (!isInForce(alert))
        this.#end(alert, { as: 'changed', message: `${alert.message} (its rule was removed)` })
  }

  requestEnded(row: JudgedRow): void {
    this.#traffic.requestEnded(row)
    this.#unpriced.requestEnded(row)
  }

  /** Whether alerts report the change. Other changes pass without an operator. */
  healthChanged(change: ObservedHealthChange): boolean {
    const kind = kindOfReason(change.reason)
    if (change.to === 'half-open') return change.needsOperator
    if (change.to === 'healthy') {
      const known = this.#open.get(healthIdentity(change))
      if (known !== undefined)
        this.#end(known, { as: 'recovered', message: describeHealthEnd(change, 'recovered') })
      return known !== undefined
    }
    const rule = kind === undefined ? undefined : this.#ruleOf(kind, change.channel)
    const condition = rule && healthCondition(change, rule.name)
    if (rule === undefined || condition === undefined) return false
    this.#raise(withSeverityOf(rule, condition))
    // A known alert is not reported again, but lists name each operation that was refused since.
    this.#changed(this.#open.get(condition.identity))
    return true
  }

  /** Ends the alerts on the health of these targets. Problems that persist open new alerts. */
  endHealth(as: 'reset' | 'changed', isMeant: (target: HealthSubject) => boolean): void {
    for (const alert of this.#open.all) {
      const target = healthTargetOf(alert)
      if (target !== undefined && isMeant(target))
        this.#end(alert, { as, message: describeHealthEnd(target, as) })
    }
  }

  budgetReached(reached: ReachedThreshold): void {
    const rule = this.#ruleOf('budget')
    // Another node that lags behind may report a threshold that was already passed.
    if (rule !== undefined && !this.#isPassed(reached))
      this.#raise(withSeverityOf(rule, budgetCondition(reached, rule.name)))
  }

  diskChanged(change: DiskState): void {
    const rule = this.#ruleOf('disk')
    if (rule === undefined) return
    const condition = diskCondition(change, rule)
    const known = this.#open.get(DISK_IDENTITY)
    if (condition !== undefined) this.#raise(condition)
    else if (known !== undefined) this.#end(known, { as: 'recovered', message: describeDisk(change) })
  }

  /** Checks every condition that is not reported by an event, and repeats alerts that last. */
  judge(sources: AlertSources): void {
    const nowMs = this.#options.nowMs()
    const findings: Findings = judgeState(
      {
        policy: this.#policy,
        open: this.#open.all,
        nowMs,
        traffic: this.#traffic,
        unpriced: this.#unpriced,
        down: this.#down,
        reportFault: this.#options.reportFault,
      },
      sources,
    )
    for (const condition of findings.conditions) this.#raise(condition)
    for (const [identity, end] of findings.ends) {
      const known = this.#open.get(identity)
      if (known !== undefined) this.#end(known, end)
    }
    for (const event of this.#open.repeat(nowMs, (alert) => this.#repeatMsOf(alert))) this.#report(event)
  }

  acknowledge(id: string, acknowledged: Acknowledgement): Alert | undefined {
    return this.#changed(this.#open.acknowledge(id, acknowledged))
  }

  mute(id: string, mute: Mute | undefined): Alert | undefined {
    return this.#changed(this.#open.mute(id, mute))
  }

  #isPassed({ budget, tagValue, percent, windowStartMs }: ReachedThreshold): boolean {
    const known = this.#open.get(budgetIdentity(budget, tagValue))
    return (
      known !== undefined &&
      known.level > percent &&
      known.details['window_start'] === writeTime(windowStartMs)
    )
  }

  #ruleOf(kind: AlertKind, channel?: string): AlertRule | undefined {
    return this.#policy.rules.find(
      (rule) => rule.kind === kind && (channel === undefined || matchesAny(rule.channels, channel)),
    )
  }

  #repeatMsOf({ kind, rule: name }: Alert): number | undefined {
    const rule = this.#policy.rules.find((each) => each.kind === kind && each.name === name)
    const ofKind = repeatMsOfKind[kind]
    return rule?.repeatMs ?? (ofKind === 'never' ? undefined : (ofKind ?? this.#policy.repeatMs))
  }

  #raise(condition: Condition): void {
    const { redact, nowMs, onOverflow } = this.#options
    const isNew = this.#open.get(condition.identity) === undefined
    if (isNew && this.#open.isFull) {
      onOverflow()
      return
    }
    const { message, advice } = condition
    const event = this.#open.raise(
      { ...condition, message: redact(message), advice: advice && redact(advice) },
      nowMs(),
    )
    if (event !== undefined) this.#report(event)
  }

  #end({ identity }: Alert, end: AlertEnd): void {
    const { redact, nowMs } = this.#options
    const event = this.#open.resolve(identity, { ...end, message: redact(end.message) }, nowMs())
    if (event !== undefined) this.#report(event)
  }

  #report(event: AlertEvent): void {
    this.#options.onChange(event.alert)
    this.#options.onEvent(event)
  }

  #changed(alert: Alert | undefined): Alert | undefined {
    if (alert !== undefined) this.#options.onChange(alert)
    return alert
  }
}

function trafficRulesOf({ rules }: AlertPolicy): readonly TrafficRule[] {
  return rules.filter((rule) => rule.kind === 'error-rate' || rule.kind === 'latency')
}

function withSeverityOf({ severity }: AlertRule, condition: Condition): Condition {
  return severity === undefined ? condition : { ...condition, severity }
}

export interface HealthSubject
  extends Pick<ObservedHealthChange, 'channel' | 'credentialId' | 'upstreamModel' | 'scope' | 'reason'> {}

/** The target of an alert on health. Undefined for any other alert. */
function healthTargetOf({ kind, details, subject }: Alert): HealthSubject | undefined {
  if (kind !== 'credential' && kind !== 'model' && kind !== 'channel-down') return undefined
  const { channel, credential, model } = subject
  const { scope, reason } = details
  if (channel === undefined || typeof scope !== 'string' || typeof reason !== 'string') return undefined
  return { channel, scope, reason, credentialId: credential, upstreamModel: model }
}

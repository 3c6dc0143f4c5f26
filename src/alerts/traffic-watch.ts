import { errorRow, isErrorCode } from '../canonical/error-table.ts'
import type { AttemptRow, JudgedRow, Observer } from '../telemetry/observer.ts'
import type { Alert, Condition } from './alert.ts'
import type { TrafficRule } from './alert-rule-schema.ts'
import { describeTrafficEnd, trafficCondition, trafficIdentity } from './conditions/traffic-condition.ts'
import { matchesAny } from './match-names.ts'
import type { AlertEnd } from './open-alerts.ts'
import { TrafficWindow } from './traffic-window.ts'

/** The limit on objects that one rule watches. Their names come from the configuration. */
const MAX_OBJECTS = 2_000
const INSTALLATION = ''

/** The findings of one check of all windows. */
export interface TrafficFindings {
  readonly conditions: readonly Condition[]
  /** The ends of open alerts, by the identity of the alert. */
  readonly ends: ReadonlyMap<string, AlertEnd>
}

interface WatchedRule {
  readonly rule: TrafficRule
  readonly windows: Map<string, TrafficWindow>
  /** The time at which the watch started. A window that began earlier cannot judge an open alert. */
  readonly startedAtMs: number
}

/** Measures error rates and latencies of channels, models and the installation, by the rules in force. */
export class TrafficWatch implements Observer {
  #rules: readonly WatchedRule[] = []

  /** Unchanged rules retain their counts. */
  change(rules: readonly TrafficRule[], nowMs: number): void {
    const known = new Map(this.#rules.map((watched) => [JSON.stringify(watched.rule), watched]))
    this.#rules = rules.map(
      (rule) => known.get(JSON.stringify(rule)) ?? { rule, windows: new Map(), startedAtMs: nowMs },
    )
  }

  requestEnded(row: JudgedRow): void {
    if (row.isOperator || row.isReplay || row.attempts.length === 0) return
    for (const watched of this.#rules) {
      if (watched.rule.by === 'channel') countAttempts(row, watched)
      else countRequest(row, watched)
    }
  }

  /** `open` are the open alerts of the traffic kinds. */
  judge(open: readonly Alert[], nowMs: number): TrafficFindings {
    const ends = new Map<string, AlertEnd>()
    const conditions: Condition[] = []
    const opened = new Map(open.map((alert) => [alert.identity, alert]))
    for (const { rule, windows, startedAtMs } of this.#rules) {
      const identities = new Set<string>()
      for (const [name, window] of windows) {
        const identity = trafficIdentity(rule, name)
        const judged = judgeWindow({ rule, name, window, isOpen: opened.has(identity) }, nowMs)
        if (judged !== 'empty' && judged !== 'few') identities.add(identity)
        if (judged === 'empty') windows.delete(name)
        else if (judged === 'few') continue
        else if (judged?.type === 'condition') conditions.push(judged.condition)
        else if (judged?.type === 'end') ends.set(identity, judged.end)
      }
      if (nowMs - startedAtMs < rule.windowMs) continue
      for (const [identity, alert] of opened)
        if (alert.rule === rule.name && alert.kind === rule.kind && !identities.has(identity))
          ends.set(identity, { as: 'no-data', message: describeTrafficEnd(rule, alert, 'no-data') })
    }
    return { conditions, ends }
  }
}

interface WindowToJudge {
  readonly rule: TrafficRule
  readonly name: string
  readonly window: TrafficWindow
  readonly isOpen: boolean
}

type Judged =
  | { readonly type: 'condition'; readonly condition: Condition }
  | { readonly type: 'end'; readonly end: AlertEnd }

/**
 * Undefined if the value neither opens nor ends an alert. `empty` if the window has no requests. `few` if it has so
 * few that an open alert ends. With more requests than that but fewer than `minRequests`, nothing changes, so that
 * traffic around that bound opens one alert.
 */
function judgeWindow(
  { rule, name, window, isOpen }: WindowToJudge,
  nowMs: number,
): Judged | 'empty' | 'few' | undefined {
  const { count, failures } = window.countsAt(nowMs)
  if (count === 0) return 'empty'
  if (count < rule.minRequests) return count * 2 < rule.minRequests ? 'few' : undefined
  const value =
    rule.kind === 'error-rate' ? (failures * 100) / count : (window.percentileAt(rule.percentile, nowMs) ?? 0)
  const [above, below] = rule.kind === 'error-rate' ? [rule.above, rule.below] : [rule.aboveMs, rule.belowMs]
  const condition = () => trafficCondition(rule, { name, value, count, failures })
  if (value > above) return { type: 'condition', condition: condition() }
  if (!isOpen) return undefined
  if (value > below) return { type: 'condition', condition: condition() }
  return {
    type: 'end',
    end: { as: 'recovered', message: describeTrafficEnd(rule, condition(), 'recovered') },
  }
}

function countAttempts(row: JudgedRow, { rule, windows }: WatchedRule): void {
  for (const attempt of row.attempts) {
    if (!matchesAny(rule.channels, attempt.channel)) continue
    if (rule.models !== undefined && !matchesAny(rule.models, row.model ?? '')) continue
    const outcome = judgeAttempt(attempt)
    if (outcome === undefined) continue
    const window = windowOf(windows, attempt.channel, rule)
    if (rule.kind === 'error-rate') window?.addOutcome(outcome === 'failed', row.endedAtMs)
    else if (outcome === 'answered')
      addDuration(window, rule.of === 'total' ? attempt.totalMs : firstTokenOf(row, attempt), row.endedAtMs)
  }
}

function countRequest(row: JudgedRow, { rule, windows }: WatchedRule): void {
  if (rule.channels !== undefined && !matchesAny(rule.channels, row.channel ?? '')) return
  if (rule.models !== undefined && !matchesAny(rule.models, row.model ?? '')) return
  if (row.callerLeft || (row.error !== undefined && errorRow(row.error).blame === 'caller')) return
  const name = rule.by === 'model' ? row.model : INSTALLATION
  if (name === undefined) return
  const window = windowOf(windows, name, rule)
  if (rule.kind === 'error-rate') window?.addOutcome(row.error !== undefined, row.endedAtMs)
  else if (row.error === undefined)
    addDuration(window, rule.of === 'total' ? row.totalMs : firstTokenOf(row, row), row.endedAtMs)
}

/** Undefined for a response without streaming, as its caller cannot see a first token. */
function firstTokenOf(
  { isStream }: JudgedRow,
  { firstContentMs }: { readonly firstContentMs: number | undefined },
): number | undefined {
  return isStream ? firstContentMs : undefined
}

function addDuration(window: TrafficWindow | undefined, durationMs: number | undefined, nowMs: number): void {
  if (durationMs !== undefined) window?.addDuration(durationMs, nowMs)
}

function windowOf(
  windows: Map<string, TrafficWindow>,
  name: string,
  { windowMs }: TrafficRule,
): TrafficWindow | undefined {
  const known = windows.get(name)
  if (known !== undefined || windows.size >= MAX_OBJECTS) return known
  const made = new TrafficWindow(windowMs)
  windows.set(name, made)
  return made
}

/** Undefined if the outcome says nothing about the channel: the caller is at fault, or disconnected. */
function judgeAttempt({ outcome }: AttemptRow): 'answered' | 'failed' | undefined {
  if (outcome === 'answered') return 'answered'
  if (!isErrorCode(outcome)) return undefined
  return errorRow(outcome).blame === 'caller' ? undefined : 'failed'
}

import {
  type Acknowledgement,
  type Alert,
  type AlertEvent,
  type Condition,
  higherSeverity,
  isMuted,
  type Mute,
  type Resolution,
} from './alert.ts'

/** The limit on open alerts. Further alerts are not opened. */
export const MAX_OPEN_ALERTS = 1_000

export interface AlertEnd {
  readonly as: Resolution
  readonly message: string
}

/**
 * The open alerts. Each is reported once when it opens, when its level or its severity changes and when it ends, and
 * repeated while it lasts. The class is pure: it does no I/O, and the caller passes the time.
 */
export class OpenAlerts {
  readonly #createId: (nowMs: number) => string
  readonly #open = new Map<string, Alert>()
  readonly #mutes = new Map<string, Mute>()

  constructor(createId: (nowMs: number) => string) {
    this.#createId = createId
  }

  /** Loads the alerts that were open or muted before a restart. */
  load(alerts: readonly Alert[]): void {
    for (const alert of alerts) {
      if (alert.mute !== undefined) this.#mutes.set(alert.identity, alert.mute)
      if (alert.resolved === undefined) this.#open.set(alert.identity, alert)
    }
  }

  clear(): void {
    this.#open.clear()
    this.#mutes.clear()
  }

  get all(): readonly Alert[] {
    return [...this.#open.values()]
  }

  get(identity: string): Alert | undefined {
    return this.#open.get(identity)
  }

  /** Whether the limit on open alerts is reached. */
  get isFull(): boolean {
    return this.#open.size >= MAX_OPEN_ALERTS
  }

  /** Undefined if there is nothing new to report. */
  raise(condition: Condition, nowMs: number): AlertEvent | undefined {
    const known = this.#open.get(condition.identity)
    if (known === undefined) return this.#openAlert(condition, nowMs)
    const isSame = known.level === condition.level && known.severity === condition.severity
    // An acknowledgement applies only to the level and the severity that the operator saw.
    const acknowledged = isSame ? known.acknowledged : undefined
    const reportedAtMs = isSame ? known.reportedAtMs : nowMs
    const peakSeverity = higherSeverity(known.peakSeverity, condition.severity)
    const alert: Alert = { ...known, ...condition, acknowledged, reportedAtMs, peakSeverity }
    this.#open.set(condition.identity, alert)
    return isSame ? undefined : { type: 'changed', alert, severityBefore: known.severity }
  }

  /** Undefined if the alert is not open. */
  resolve(identity: string, end: AlertEnd, nowMs: number): AlertEvent | undefined {
    const known = this.#open.get(identity)
    if (known === undefined) return undefined
    this.#open.delete(identity)
    return { type: 'resolved', alert: { ...known, resolved: { ...end, atMs: nowMs } } }
  }

  /** The alerts that still last and whose repeat interval has passed. Acknowledged and muted alerts are left out. */
  repeat(nowMs: number, repeatMsOf: (alert: Alert) => number | undefined): readonly AlertEvent[] {
    return this.all.flatMap((known): AlertEvent[] => {
      const repeatMs = repeatMsOf(known)
      const isDue = repeatMs !== undefined && nowMs - known.reportedAtMs >= repeatMs
      if (!isDue || known.acknowledged !== undefined || isMuted(known, nowMs)) return []
      const alert = { ...known, reportedAtMs: nowMs }
      this.#open.set(known.identity, alert)
      return [{ type: 'repeated', alert }]
    })
  }

  /** Undefined if no alert with this ID is open. */
  acknowledge(id: string, acknowledged: Acknowledgement): Alert | undefined {
    return this.#change(id, { acknowledged })
  }

  /** Mutes the identity of the alert. An undefined `mute` ends the mute. Undefined if no alert with this ID is open. */
  mute(id: string, mute: Mute | undefined): Alert | undefined {
    const changed = this.#change(id, { mute })
    if (changed === undefined) return undefined
    if (mute === undefined) this.#mutes.delete(changed.identity)
    else this.#mutes.set(changed.identity, mute)
    return changed
  }

  #openAlert(condition: Condition, nowMs: number): AlertEvent | undefined {
    if (this.isFull) return undefined
    const mute = this.#mutes.get(condition.identity)
    const isInForce = mute !== undefined && nowMs < mute.untilMs
    if (!isInForce) this.#mutes.delete(condition.identity)
    const alert: Alert = {
      ...condition,
      id: this.#createId(nowMs),
      peakSeverity: condition.severity,
      openedAtMs: nowMs,
      reportedAtMs: nowMs,
      resolved: undefined,
      acknowledged: undefined,
      mute: isInForce ? mute : undefined,
    }
    this.#open.set(condition.identity, alert)
    return { type: 'opened', alert }
  }

  #change(id: string, change: Partial<Pick<Alert, 'acknowledged' | 'mute'>>): Alert | undefined {
    const known = this.all.find((alert) => alert.id === id)
    if (known === undefined) return undefined
    const alert = { ...known, ...change }
    this.#open.set(alert.identity, alert)
    return alert
  }
}

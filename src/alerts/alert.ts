import type { JsonObject } from '../kit/json/json.ts'

export const alertKinds = [
  'channel-down',
  'credential',
  'model',
  'error-rate',
  'latency',
  'budget',
  'key-expiry',
  'certificate-expiry',
  'unpriced',
  'disk',
] as const

/** The kind of problem. `model`: a channel names a model that its provider does not have. */
export type AlertKind = (typeof alertKinds)[number]

/** The severities in rising order. */
export const severities = ['info', 'warning', 'critical'] as const
export type Severity = (typeof severities)[number]

/** Whether a severity is at least `min`. */
export function isSevere(severity: Severity, min: Severity): boolean {
  return severities.indexOf(severity) >= severities.indexOf(min)
}

export function higherSeverity(one: Severity, other: Severity): Severity {
  return isSevere(one, other) ? one : other
}

/** The object that an alert is about, by name. Members that do not apply are absent. */
export interface AlertSubject {
  readonly channel?: string
  readonly credential?: string
  readonly model?: string
  readonly key?: string
  readonly budget?: string
  /** The use of a certificate, such as `tls` or `channel primary`. */
  readonly certificate?: string
}

/** A problem that exists now. */
export interface Condition {
  /** The identity of the problem: the same for the same problem with the same object, also after a restart. */
  readonly identity: string
  readonly kind: AlertKind
  /** The name of the rule that found the problem. */
  readonly rule: string
  readonly severity: Severity
  /**
   * The degree, in steps that depend on the kind, such as the share of a budget. A change of level is reported again.
   */
  readonly level: number
  readonly subject: AlertSubject
  /** The problem in one line. */
  readonly message: string
  /** The remedy in one line. */
  readonly advice: string | undefined
  /** The members of this kind in the body of a webhook. */
  readonly details: JsonObject
}

/**
 * The reason why an alert ended. `reset`: an operator reset the channel's health. `changed`: the object was changed
 * or removed. `no-data`: there are too few requests to judge by. `expired`: the object expired long ago.
 */
export const resolutions = ['recovered', 'reset', 'changed', 'no-data', 'expired'] as const
export type Resolution = (typeof resolutions)[number]

export interface Acknowledgement {
  readonly by: string
  readonly atMs: number
  readonly comment: string | undefined
}

export interface Mute {
  readonly by: string
  readonly atMs: number
  readonly untilMs: number
}

/** A condition from its start to its end. Times are wall-clock times. */
export interface Alert extends Condition {
  readonly id: string
  /** The highest severity that the alert has had. Receivers that heard of that severity must hear of the end. */
  readonly peakSeverity: Severity
  readonly openedAtMs: number
  /** The time of its last report. */
  readonly reportedAtMs: number
  /** Undefined while the alert is open. */
  readonly resolved: { readonly atMs: number; readonly as: Resolution; readonly message: string } | undefined
  readonly acknowledged: Acknowledgement | undefined
  /** The mute of the identity. The next alert with the same identity is muted as well. */
  readonly mute: Mute | undefined
}

export type AlertEventType = 'opened' | 'changed' | 'repeated' | 'resolved'

/** A change of an alert that is reported. */
export interface AlertEvent {
  readonly type: AlertEventType
  readonly alert: Alert
  /** The severity before a change. */
  readonly severityBefore?: Severity
}

/** The line that describes the current state of the alert. */
export function messageOf({ resolved, message }: Alert): string {
  return resolved?.message ?? message
}

export function isMuted({ mute }: Pick<Alert, 'mute'>, nowMs: number): boolean {
  return mute !== undefined && nowMs < mute.untilMs
}

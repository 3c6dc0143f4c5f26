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

/** The kind of problem. `model`: a provider does not have a model that a channel names. */
export type AlertKind = (typeof alertKinds)[number]

/** The severities from the lightest to the worst. */
export const severities = ['info', 'warning', 'critical'] as const
export type Severity = (typeof severities)[number]

/** Whether one severity is the other or worse. */
export function isSevere(severity: Severity, min: Severity): boolean {
  return severities.indexOf(severity) >= severities.indexOf(min)
}

/** The object that an alert is about, by name; what does not apply is absent. */
export interface AlertSubject {
  readonly channel?: string
  readonly credential?: string
  readonly model?: string
  readonly key?: string
  readonly budget?: string
  /** The use of a certificate, such as `tls` or `channel primary`. */
  readonly certificate?: string
}

/** Something that is wrong at this moment. */
export interface Condition {
  /** The identity: the same for the same problem with the same object, over restarts too. */
  readonly identity: string
  readonly kind: AlertKind
  /** The rule that found it. */
  readonly rule: string
  readonly severity: Severity
  /** The degree in steps of its kind, such as the share of a budget. Another level is reported anew. */
  readonly level: number
  readonly subject: AlertSubject
  /** One line on what is wrong. */
  readonly message: string
  /** One line on what to do. */
  readonly advice: string | undefined
  /** Members that this kind has in the body of a webhook. */
  readonly details: JsonObject
}

/**
 * The reason why an alert is over. `reset`: an operator reset the channel's health. `changed`: the object was
 * changed or removed. `no-data`: there are too few requests to judge by. `expired`: what expires has expired long
 * ago.
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

/** A condition from its beginning to its end. Times are of the wall clock. */
export interface Alert extends Condition {
  readonly id: string
  readonly openedAtMs: number
  /** The time of its last report. */
  readonly reportedAtMs: number
  /** Undefined while it is open. */
  readonly resolved: { readonly atMs: number; readonly as: Resolution; readonly message: string } | undefined
  readonly acknowledged: Acknowledgement | undefined
  /** The mute of the identity; the next alert of the same has it, too. */
  readonly mute: Mute | undefined
}

export type AlertEventType = 'opened' | 'changed' | 'repeated' | 'resolved'

/** A change of an alert that is reported. */
export interface AlertEvent {
  readonly type: AlertEventType
  readonly alert: Alert
}

/** The line on how it is now. */
export function messageOf({ resolved, message }: Alert): string {
  return resolved?.message ?? message
}

export function isMuted({ mute }: Pick<Alert, 'mute'>, nowMs: number): boolean {
  return mute !== undefined && nowMs < mute.untilMs
}

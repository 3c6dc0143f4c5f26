import type { JsonObject } from '../kit/json/json.ts'
import {
  describeThreshold,
  type ReachedThreshold,
  writeThreshold,
} from '../metering/budgets/reached-threshold.ts'
import { type DiskChange, describeDisk } from '../telemetry/disk-guard.ts'
import {
  describeHealth,
  describeTarget,
  type ObservedHealthChange,
} from '../telemetry/observed-health-change.ts'
import type { DueAlert } from './active-alerts.ts'

/** A written alert: a line for people, and the body of the webhook. */
export interface WrittenAlert {
  readonly line: string
  /** A JSON text. Its `text` holds the line, as the webhooks of chat services take it. */
  readonly body: string
}

const adviceFor: Readonly<Record<string, string>> = {
  refused: 'The provider refuses the key: configure a valid one, or have it enabled at the provider',
  'out-of-credit': 'The account is out of credit: add some at the provider',
  'model-missing':
    'The provider has no such model for this key: correct its name in the configuration, or have it enabled at the provider',
  insecure: "The upstream's certificate cannot be trusted: check base_url and proxy, or set ca_file",
}

/** The alert that something is out of rotation, or is back. */
export function writeHealthAlert(
  change: ObservedHealthChange,
  { status, sinceMs }: DueAlert,
  nowMs: number,
): WrittenAlert {
  const advice = status === 'impaired' ? advise(change) : undefined
  const message = describeAlert(change, status)
  const line = advice === undefined ? message : `${message}. ${advice}`
  const type = `health.${status === 'replaced' ? 'reset' : status}`
  const details = {
    since: sinceMs === undefined ? null : new Date(sinceMs).toISOString(),
    channel: change.channel,
    scope: change.scope,
    credential: change.credentialId ?? null,
    upstream_model: change.upstreamModel ?? null,
    reason: change.reason,
    message,
    advice: advice ?? null,
  }
  return write({ type, line, details }, nowMs)
}

/** The alert that a share of a budget is spent. */
export function writeBudgetAlert(reached: ReachedThreshold, nowMs: number): WrittenAlert {
  const line = describeThreshold(reached)
  return write(
    { type: 'budget.threshold', line, details: { ...writeThreshold(reached), message: line } },
    nowMs,
  )
}

const diskTypes = { ample: 'disk.recovered', low: 'disk.low', 'nearly-full': 'disk.nearly_full' } as const

/** The alert that the disk with the stores fills up, or has room again. */
export function writeDiskAlert(change: DiskChange, nowMs: number): WrittenAlert {
  const line = describeDisk(change)
  const { freeBytes, totalBytes } = change.space
  const details = { free_bytes: freeBytes, total_bytes: totalBytes, message: line }
  return write({ type: diskTypes[change.to], line, details }, nowMs)
}

interface AlertWords {
  readonly type: string
  readonly line: string
  /** Members of this type of alert. */
  readonly details: JsonObject
}

function write({ type, line, details }: AlertWords, nowMs: number): WrittenAlert {
  const body = { type, at: new Date(nowMs).toISOString(), ...details, text: `Headgate: ${line}` }
  return { line, body: JSON.stringify(body) }
}

function describeAlert(change: ObservedHealthChange, status: DueAlert['status']): string {
  if (status === 'reset') return `${describeTarget(change)}: reset by an operator (was ${change.reason})`
  if (status === 'replaced')
    return `${describeTarget(change)}: changed or removed in the configuration (was ${change.reason})`
  return describeHealth(change)
}

function advise({ channel, reason }: ObservedHealthChange): string {
  const what = adviceFor[reason] ?? 'See GET /admin/v1/health'
  return `${what}. "headgate health --reset ${channel}" then puts it back into rotation at once.`
}

import { type Alert, messageOf } from '../../alerts/alert.ts'
import type { DeliveryOutcome } from '../../alerts/alert-sender.ts'
import type { AlertStore } from '../../alerts/alert-store.ts'
import type { Actor, AuditAction } from '../../canonical/audit.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { factOfIssue } from '../../config/check/fact-of-issue.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../kit/json/json.ts'
import { unknownName } from '../../kit/schema/input-fact.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { createDurationSchema } from '../../kit/time/duration-schema.ts'
import { DAY_MS, MINUTE_MS } from '../../kit/time/time-units.ts'
import { writeDuration } from '../../kit/time/write-duration.ts'
import { writeTime, writeTimeOrNull } from '../../kit/time/write-time.ts'
import type { AuditStore } from '../audit/audit-store.ts'
import { viewAuthor } from '../audit/view-actor.ts'
import { nameOfRule } from '../config/edit-alert-part.ts'
import type { ConfigState } from '../config/live-config.ts'
import { readListCursor, writeListCursor } from '../paging/list-cursor.ts'
import { DEFAULT_PAGE_ROWS } from '../paging/page-fields.ts'
import { readInput } from '../read-input.ts'
import { refuseField } from '../view-problem.ts'
import {
  type AlertList,
  type AlertRulesView,
  type AlertView,
  alertRuleViewSchema,
  alertViewSchema,
  type ListAlerts,
  listAlertsSchema,
  type ReceiverList,
  type TestedReceiver,
} from './alert-contract.ts'
import type { AlertControl } from './alert-control.ts'
import { writeRule } from './view-policy.ts'

export interface AlertOperationOptions {
  readonly control: AlertControl
  readonly store: Pick<AlertStore, 'page' | 'find'>
  readonly audit: Pick<AuditStore, 'append'>
  readonly state: () => ConfigState
  readonly clock: Pick<Clock, 'nowMs'>
}

/** The operations on alerts, their rules and their receivers. */
export interface AlertOperations {
  /** Lists alerts, the most recently opened first. */
  list(input: ListAlerts): Promise<AlertList>
  get(id: string): Promise<AlertView>
  acknowledge(id: string, comment: string | undefined, actor: Actor): Promise<AlertView>
  /** `span` is a duration such as `2h`; undefined ends the mute. */
  mute(id: string, span: string | undefined, actor: Actor): Promise<AlertView>
  receivers(): ReceiverList
  rules(): AlertRulesView
  test(receiver: string, actor: Actor): Promise<TestedReceiver>
}

const muteSpanSchema = createDurationSchema({ minMs: MINUTE_MS, maxMs: 30 * DAY_MS, range: '1m and 30d' })

export function createAlertOperations(options: AlertOperationOptions): AlertOperations {
  const { control, store, clock } = options
  const change = createAlertChange(options)
  return {
    async list(input) {
      const { limit = DEFAULT_PAGE_ROWS, after, ...filter } = readInput(listAlertsSchema, input)
      const cursor = readListCursor(after, 'number')
      await control.flush()
      const { alerts, hasMore } = await store.page({
        ...filter,
        limit,
        after: cursor && { openedAtMs: Number(cursor.value), id: cursor.id },
      })
      const last = alerts.at(-1)
      return {
        data: alerts.map((alert) => viewAlert(alert, clock.nowMs())),
        next_after:
          hasMore && last !== undefined ? writeListCursor({ value: last.openedAtMs, id: last.id }) : null,
      }
    },
    async get(id) {
      await control.flush()
      const alert = await store.find(id)
      if (alert === undefined) throw new GatewayError('alert_not_found')
      return viewAlert(alert, clock.nowMs())
    },
    acknowledge: (id, comment, actor) =>
      change(id, actor, async (by) => ({
        action: 'alert.acknowledge',
        alert: await control.acknowledge(id, { ...by, comment }),
        details: comment === undefined ? [] : [`comment: ${comment}`],
      })),
    mute(id, span, actor) {
      const spanMs = span === undefined ? undefined : readSpan(span)
      return change(id, actor, async (by) => ({
        action: span === undefined ? 'alert.unmute' : 'alert.mute',
        alert: await control.mute(
          id,
          spanMs === undefined ? undefined : { ...by, untilMs: by.atMs + spanMs },
        ),
        details: span === undefined ? [] : [`for ${span}`],
      }))
    },
    receivers: () => viewReceivers(options),
    rules: () => viewRules(options),
    test: (receiver, actor) => testReceiver(receiver, actor, options),
  }
}

interface AlertChange {
  readonly action: AuditAction
  /** Undefined if no such alert is open. */
  readonly alert: Alert | undefined
  readonly details: readonly string[]
}

/** A change of an open alert, with its record of the audit. */
function createAlertChange({ control, store, audit, clock }: AlertOperationOptions) {
  return async (
    id: string,
    actor: Actor,
    act: (by: { readonly by: string; readonly atMs: number }) => Promise<AlertChange>,
  ): Promise<AlertView> => {
    const atMs = clock.nowMs()
    const { action, alert, details } = await act({ by: actor.author, atMs })
    if (alert === undefined) {
      const past = await store.find(id)
      throw new GatewayError(past === undefined ? 'alert_not_found' : 'alert_resolved')
    }
    await control.flush()
    await audit.append({ ...actor, action, subject: id, details: [alert.message, ...details], atMs })
    return viewAlert(alert, atMs)
  }
}

function readSpan(span: string): number {
  const read = muteSpanSchema.safeParse(span, { reportInput: true })
  if (read.success) return read.data
  const [issue] = read.error.issues
  const message = `"for": ${issue?.message ?? 'must be a duration'}.`
  const fact = issue && factOfIssue(issue)
  const duration = { code: 'wrong_format', values: { format: 'duration' } } as const
  throw refuseField('invalid_field', { param: 'for', message, fact: fact ?? duration })
}

function viewAlert(alert: Alert, nowMs: number): AlertView {
  const { id, kind, rule, severity, subject, resolved, acknowledged, mute } = alert
  const isMuteOver = mute === undefined || mute.untilMs <= nowMs
  return {
    id,
    state: resolved === undefined ? 'open' : 'resolved',
    kind,
    rule,
    severity,
    subject: { ...subject },
    message: messageOf(alert),
    advice: alert.advice ?? null,
    details: alertViewSchema.shape.details.parse(alert.details),
    opened_at: writeTime(alert.openedAtMs),
    reported_at: writeTime(alert.reportedAtMs),
    resolved_at: writeTimeOrNull(resolved?.atMs),
    resolution: resolved?.as ?? null,
    acknowledged:
      acknowledged === undefined
        ? null
        : {
            by: acknowledged.by,
            by_fact: viewAuthor(acknowledged.by),
            at: writeTime(acknowledged.atMs),
            comment: acknowledged.comment ?? null,
          },
    muted: isMuteOver
      ? null
      : {
          by: mute.by,
          by_fact: viewAuthor(mute.by),
          at: writeTime(mute.atMs),
          until: writeTime(mute.untilMs),
        },
  }
}

function viewReceivers({ control, state }: AlertOperationOptions): ReceiverList {
  return {
    config_version: state().serving.number,
    data: control.policy.receivers.map((receiver) => {
      const { name, type, url, headers, secret, kinds, minSeverity, channels, getsResolved } = receiver
      const { waiting, last } = control.deliveryOf(name)
      return {
        name,
        type,
        address: new URL(url).origin,
        signed: secret !== undefined,
        headers: Object.keys(headers),
        kinds: kinds === undefined ? null : [...kinds],
        severity: minSeverity,
        channels: channels === undefined ? null : [...channels],
        resolved: getsResolved,
        waiting,
        last_delivery: last === undefined ? null : { ...viewOutcome(last.outcome), at: writeTime(last.atMs) },
      }
    }),
  }
}

function viewRules({ control: { policy }, state }: AlertOperationOptions): AlertRulesView {
  const { file, serving } = state()
  const owner = file.file.value['alerts'] !== undefined ? 'file' : 'api'
  return {
    owner: owner === 'api' && serving.document['alerts'] === undefined ? 'default' : owner,
    repeat: writeDuration(policy.repeatMs),
    config_version: serving.number,
    data: policy.rules.map((rule) => alertRuleViewSchema.parse(writeRule(rule))),
    written: listWritten(file.file.value['alerts'] ?? serving.document['alerts']),
  }
}

/** The rules of the section as they are written, each with its name. */
function listWritten(section: JsonValue | undefined): AlertRulesView['written'] {
  const rules = isJsonObject(section) ? section['rules'] : undefined
  if (!isJsonArray(rules)) return []
  return rules
    .filter(isJsonObject)
    .map((rule) => alertRuleViewSchema.parse({ ...rule, name: nameOfRule(rule) }))
}

async function testReceiver(
  receiver: string,
  actor: Actor,
  { control, audit, clock }: AlertOperationOptions,
): Promise<TestedReceiver> {
  const outcome = await control.test(receiver)
  if (outcome === undefined) {
    const message = `There is no receiver ${JSON.stringify(receiver)}. "headgate alerts receivers" and GET /admin/v1/alerts/receivers list them.`
    throw refuse('config_object_not_found', {
      param: 'receiver',
      message,
      fact: unknownName('receiver', receiver, undefined),
    })
  }
  const details = [outcome.type === 'sent' ? 'delivered' : outcome.reason]
  await audit.append({ ...actor, action: 'alert.test', subject: receiver, details, atMs: clock.nowMs() })
  return { receiver, ...viewOutcome(outcome) }
}

function viewOutcome(outcome: DeliveryOutcome): Omit<TestedReceiver, 'receiver'> {
  return {
    delivered: outcome.type === 'sent',
    status: outcome.status ?? null,
    reason: outcome.type === 'sent' ? null : outcome.reason,
    no_answer: outcome.status === undefined ? outcome.noAnswer : null,
  }
}

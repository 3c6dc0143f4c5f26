import type { Command } from 'commander'
import {
  type AlertRuleView,
  type AlertView,
  alertListSchema,
  alertRulesSchema,
  alertViewSchema,
  type ReceiverView,
  receiverListSchema,
  testedReceiverSchema,
} from '../../admin/alerts/alert-contract.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import type { CommandContext } from '../command-context.ts'
import { addPageOptions, type PageOptions, writeMore } from '../options/page-options.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import type { RemoteCall } from '../remote/call-server.ts'
import { withServer } from '../remote/with-server.ts'
import { writeQuery } from '../remote/write-query.ts'
import { registerAlertPolicy } from './alert-policy.ts'

interface ListOptions extends Omit<PageOptions, 'sort'>, JsonChoice {
  readonly state?: string
  readonly kind?: string
  readonly severity?: string
  readonly channel?: string
}

const alertColumns: readonly TableColumn<AlertView>[] = [
  ['ID', ({ id }) => id],
  ['OPENED (UTC)', ({ opened_at: at }) => writeMinute(at)],
  ['STATE', (alert) => describeState(alert)],
  ['SEVERITY', ({ severity }) => severity],
  ['KIND', ({ kind }) => kind],
  ['MESSAGE', ({ message }) => message],
]

const receiverColumns: readonly TableColumn<ReceiverView>[] = [
  ['NAME', ({ name }) => name],
  ['TYPE', ({ type }) => type],
  ['ADDRESS', ({ address }) => address],
  ['GETS', ({ kinds, severity }) => `${kinds?.join(',') ?? 'all'}, ${severity} and worse`],
  ['WAITING', ({ waiting }) => String(waiting)],
  ['LAST', ({ last_delivery: last }) => (last === null ? '' : describeDelivery(last))],
]

const ruleColumns: readonly TableColumn<AlertRuleView>[] = [
  ['NAME', ({ name }) => name],
  ['KIND', ({ kind }) => kind],
  [
    'TERMS',
    ({ name: _, kind: __, ...terms }) => (Object.keys(terms).length === 0 ? '' : JSON.stringify(terms)),
  ],
]

/** Adds `headgate alerts …`. The running server carries it out. */
export function registerAlertsCommand(program: Command, context: CommandContext): void {
  const alerts = program
    .command('alerts')
    .description('list alerts, acknowledge and mute them, change their rules and receivers, and test these')
  registerLists(alerts, context)
  registerChanges(alerts, context)
  registerAlertPolicy(alerts, context)
}

function registerLists(alerts: Command, context: CommandContext): void {
  const { io } = context
  const list = alerts
    .command('list')
    .description('list open and past alerts, those opened last first')
    .option('--state <state>', 'open or resolved')
    .option('--kind <kind>', 'of this kind, such as error-rate')
    .option('--severity <severity>', 'info, warning or critical')
    .option('--channel <name>', 'about this channel')
  addPageOptions(list, [])
    .option('--json', 'print JSON')
    .action(({ json, ...query }: ListOptions) =>
      withServer(context, async (call) => {
        const found = await call(
          { method: 'GET', path: `/alerts${writeQuery({ ...query })}` },
          alertListSchema,
        )
        io.write(json ? writeJson(found) : writeTable(alertColumns, found.data))
        if (!json) writeMore(found.next_after, io)
      }),
    )
  alerts
    .command('show')
    .description('show an alert with all that is known of it')
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, { json }: JsonChoice) =>
      withServer(context, async (call) => {
        const view = await call({ method: 'GET', path: pathOf(id) }, alertViewSchema)
        io.write(json ? writeJson(view) : describeAlertView(view))
      }),
    )
  alerts
    .command('receivers')
    .description('list the receivers of alerts, with their last delivery')
    .option('--json', 'print JSON')
    .action(({ json }: JsonChoice) =>
      withServer(context, async (call) => {
        const found = await call({ method: 'GET', path: '/alerts/receivers' }, receiverListSchema)
        io.write(json ? writeJson(found) : writeTable(receiverColumns, found.data))
      }),
    )
  alerts
    .command('rules')
    .description('list the rules in force')
    .option('--json', 'print JSON')
    .action(({ json }: JsonChoice) =>
      withServer(context, async (call) => {
        const found = await call({ method: 'GET', path: '/alerts/rules' }, alertRulesSchema)
        io.write(json ? writeJson(found) : writeTable(ruleColumns, found.data))
      }),
    )
}

function registerChanges(alerts: Command, context: CommandContext): void {
  const change = (call: RemoteCall, json: true | undefined) =>
    withServer(context, async (ask) => {
      const view = await ask(call, alertViewSchema)
      context.io.write(json ? writeJson(view) : describeAlertView(view))
    })
  alerts
    .command('ack')
    .description('acknowledge an open alert: it is not repeated unless it gets worse')
    .argument('<id>')
    .option('--comment <text>', 'for those who read it later')
    .option('--json', 'print JSON')
    .action((id: string, { json, comment }: JsonChoice & { readonly comment?: string }) =>
      change({ method: 'POST', path: `${pathOf(id)}/acknowledge`, body: omitUndefined({ comment }) }, json),
    )
  alerts
    .command('mute')
    .description('send nothing of this problem for a while')
    .argument('<id>')
    .requiredOption('--for <span>', 'such as 2h or 7d')
    .option('--json', 'print JSON')
    .action((id: string, { json, ...body }: JsonChoice & { readonly for: string }) =>
      change({ method: 'POST', path: `${pathOf(id)}/mute`, body }, json),
    )
  alerts
    .command('unmute')
    .description('end the mute of an open alert')
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, { json }: JsonChoice) =>
      change({ method: 'DELETE', path: `${pathOf(id)}/mute` }, json),
    )
  alerts
    .command('test')
    .description('send an alert that says it is a test; ends with 1 where it does not arrive')
    .argument('<receiver>')
    .option('--json', 'print JSON')
    .action((receiver: string, { json }: JsonChoice) =>
      withServer(context, async (call) => {
        const tested = await call(
          { method: 'POST', path: '/alerts/test', body: { receiver } },
          testedReceiverSchema,
        )
        context.io.write(json ? writeJson(tested) : `${receiver}: ${describeDelivery(tested)}\n`)
        if (!tested.delivered) context.io.setExitCode(1)
      }),
    )
}

function pathOf(id: string): string {
  return `/alerts/${encodeURIComponent(id)}`
}

function writeMinute(at: string): string {
  return at.slice(0, 16).replace('T', ' ')
}

function describeState({ state, resolution, acknowledged, muted }: AlertView): string {
  if (state === 'resolved') return `resolved (${resolution ?? ''})`
  const marks = [acknowledged === null ? '' : 'acknowledged', muted === null ? '' : 'muted'].filter(Boolean)
  return marks.length === 0 ? 'open' : `open, ${marks.join(', ')}`
}

function describeDelivery({
  delivered,
  status,
  reason,
}: Pick<NonNullable<ReceiverView['last_delivery']>, 'delivered' | 'status' | 'reason'>): string {
  return delivered ? `delivered (${status ?? ''})` : `not delivered: ${reason ?? ''}`
}

function describeAlertView(view: AlertView): string {
  const { acknowledged, muted } = view
  const lines = [
    `${view.id}  ${view.kind}, ${view.severity}, ${describeState(view)}`,
    view.message,
    ...(view.advice === null ? [] : [view.advice]),
    `opened ${view.opened_at}, last reported ${view.reported_at}${view.resolved_at === null ? '' : `, resolved ${view.resolved_at}`}`,
    ...Object.entries(view.subject).map(([name, value]) => `${name}: ${value}`),
    ...(acknowledged === null
      ? []
      : [
          `acknowledged by ${acknowledged.by} at ${acknowledged.at}${acknowledged.comment === null ? '' : `: ${acknowledged.comment}`}`,
        ]),
    ...(muted === null ? [] : [`muted by ${muted.by} until ${muted.until}`]),
  ]
  return `${lines.join('\n')}\n`
}

import type { Command } from 'commander'
import type { ZodType } from 'zod'
import { alertRulesSchema, receiverListSchema } from '../../admin/alerts/alert-contract.ts'
import type { CommandContext } from '../command-context.ts'
import { addToList } from '../options/option-values.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { mergeAssignments, readObjectFile } from '../remote/read-object.ts'
import { withServer } from '../remote/with-server.ts'

interface FieldOptions extends JsonChoice {
  readonly set?: readonly string[]
  readonly from?: string
}

interface Part {
  /** The name of one object in commands and sentences. */
  readonly word: 'rule' | 'receiver'
  /** The path of its routes below `/admin/v1/alerts`. */
  readonly path: 'rules' | 'receivers'
  readonly schema: ZodType<object>
  readonly removal: string
}

const parts: readonly Part[] = [
  {
    word: 'rule',
    path: 'rules',
    schema: alertRulesSchema,
    removal: 'delete a rule; with the last one of its kind, the default is in force again',
  },
  {
    word: 'receiver',
    path: 'receivers',
    schema: receiverListSchema,
    removal: 'delete a receiver of alerts',
  },
]

/** Adds the commands that change rules and receivers, such as `headgate alerts add-rule`. */
export function registerAlertPolicy(alerts: Command, context: CommandContext): void {
  for (const part of parts) {
    const { word, removal } = part
    addFields(
      alerts.command(`add-${word}`).description(`set a ${word} of alerts, or add it`).argument('<name>'),
    ).action((name: string, options: FieldOptions) => change(context, part, { method: 'PUT', name, options }))
    addFields(
      alerts
        .command(`edit-${word}`)
        .description(`change some fields of a ${word} of alerts; null removes one`)
        .argument('<name>'),
    ).action((name: string, options: FieldOptions) =>
      change(context, part, { method: 'PATCH', name, options }),
    )
    alerts
      .command(`remove-${word}`)
      .description(removal)
      .argument('<name>')
      .option('--json', 'print JSON')
      .action((name: string, options: JsonChoice) =>
        change(context, part, { method: 'DELETE', name, options }),
      )
  }
}

function addFields(command: Command): Command {
  return command
    .option('--set <field=value>', 'a field, such as above=20; repeat for more', addToList)
    .option('--from <file>', 'read fields from a YAML or JSON file; - is standard input')
    .option('--json', 'print JSON')
}

interface PartOrder {
  readonly method: 'PUT' | 'PATCH' | 'DELETE'
  readonly name: string
  readonly options: FieldOptions
}

const done = { PUT: 'set', PATCH: 'changed', DELETE: 'deleted' } as const

function change(
  context: CommandContext,
  { word, path, schema }: Part,
  { method, name, options: { set = [], from, json } }: PartOrder,
): Promise<void> {
  return withServer(context, async (call) => {
    const given = from === undefined ? {} : readObjectFile(from)
    const body = method === 'DELETE' ? {} : { body: mergeAssignments(given, set) }
    const view = await call({ method, path: `/alerts/${path}/${encodeURIComponent(name)}`, ...body }, schema)
    context.io.write(json ? writeJson(view) : `The ${word} "${name}" of alerts is ${done[method]}.\n`)
  })
}

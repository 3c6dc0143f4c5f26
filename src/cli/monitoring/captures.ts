import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import {
  type CaptureStatus,
  type CaptureSummaryView,
  type CaptureView,
  captureListSchema,
  captureStatusSchema,
  captureViewSchema,
  deletedCapturesSchema,
} from '../../admin/captures/capture-contract.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import type { CommandContext } from '../command-context.ts'
import { addPageOptions, type PageOptions, writeMore } from '../options/page-options.ts'
import { readTime } from '../options/read-time.ts'
import { saveFile } from '../output/save-file.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { writeUtcTime } from '../output/write-utc-time.ts'
import { withServer } from '../remote/with-server.ts'
import { writeQuery } from '../remote/write-query.ts'

interface FilterOptions {
  readonly key?: string
  readonly since?: string
  readonly until?: string
}

interface ListOptions extends FilterOptions, Omit<PageOptions, 'sort'>, JsonChoice {}

const columns: readonly TableColumn<CaptureSummaryView>[] = [
  ['REQUEST', ({ request_id: id }) => id],
  ['ENDED (UTC)', ({ at }) => writeUtcTime(at)],
  ['KEY', ({ key }) => key],
  ['MODEL', ({ model }) => model ?? ''],
  ['STATUS', ({ status }) => String(status), 'right'],
  [
    'HAS',
    ({ has_prompt, has_answer }) =>
      [has_prompt && 'prompt', has_answer && 'answer'].filter(Boolean).join(', '),
  ],
]

/** Adds `headgate captures …`. The running server carries it out. */
export function registerCapturesCommand(program: Command, context: CommandContext): void {
  const captures = program
    .command('captures')
    .description('read and delete captured prompts and answers; the audit has each reading')
  registerReading(captures, context)
  registerExportAndDelete(captures, context)
}

function registerReading(captures: Command, context: CommandContext): void {
  const { io } = context
  captures
    .command('status')
    .description('show whose prompts and answers are captured, and how much is stored')
    .option('--json', 'print JSON')
    .action(({ json }: JsonChoice) =>
      withServer(context, async (call) => {
        const status = await call({ method: 'GET', path: '/capture' }, captureStatusSchema)
        io.write(json ? writeJson(status) : describeStatus(status))
      }),
    )
  const list = captures
    .command('list')
    .description('list captures, newest first, without prompts and answers')
  addPageOptions(addFilters(list), [])
    .option('--json', 'print JSON')
    .action(({ json, ...query }: ListOptions) =>
      withServer(context, async (call) => {
        const found = await call(
          { method: 'GET', path: `/captures${writeQuery({ ...query })}` },
          captureListSchema,
        )
        io.write(json ? writeJson(found) : writeTable(columns, found.data))
        if (!json) writeMore(found.next_after, io)
      }),
    )
  captures
    .command('show')
    .description('read the captured prompt and answer of a request')
    .argument('<request>')
    .option('--json', 'print JSON')
    .action((request: string, { json }: JsonChoice) =>
      withServer(context, async (call) => {
        const view = await call(
          { method: 'GET', path: `/captures/${encodeURIComponent(request)}` },
          captureViewSchema,
        )
        io.write(json ? writeJson(view) : describeCapture(view))
      }),
    )
}

function registerExportAndDelete(captures: Command, context: CommandContext): void {
  const { io } = context
  addFilters(captures.command('export').description('write captures as lines of JSON, newest first'))
    .argument('<file>', 'the file to write, which must not exist')
    .action((file: string, query: FilterOptions) =>
      withServer(context, async (_call, download) => {
        const path = resolve(file)
        if (existsSync(path)) throw new OperatorError('file_exists', `${path} exists already`)
        const lines = await download(`/captures/export${writeQuery({ ...query })}`, 'GET')
        await saveFile(path, lines)
        io.writeError(`${path} is written.\n`)
      }),
    )
  captures
    .command('delete')
    .description('delete the capture of a request, or all of a key, for good')
    .argument('[request]')
    .option('--key <key>', 'all of this key, by its id or name')
    .option('--json', 'print JSON')
    .action((request: string | undefined, { key, json }: JsonChoice & { readonly key?: string }) =>
      withServer(context, async (call) => {
        const path =
          request === undefined
            ? `/captures${writeQuery({ key })}`
            : `/captures/${encodeURIComponent(request)}`
        const deleted = await call({ method: 'DELETE', path }, deletedCapturesSchema)
        io.write(json ? writeJson(deleted) : `${deleted.deleted} deleted\n`)
      }),
    )
}

function addFilters(command: Command): Command {
  return command
    .option('--key <key>', 'of this key, by its id or name')
    .option('--since <time>', 'ended since this time, or this long ago, such as 30m', readTime)
    .option('--until <time>', 'ended until this time', readTime)
}

function describeStatus({ bodies, keys, groups, stored, keep, max_bytes: maxBytes }: CaptureStatus): string {
  const own = (noun: string, modes: Readonly<Record<string, string>>) =>
    Object.entries(modes).map(([name, mode]) => `${noun} ${name}: ${mode}`)
  const lines = [
    `all others: ${bodies}`,
    ...own('key', keys),
    ...own('group', groups),
    `stored: ${stored.count} captures, ${stored.bytes} of ${maxBytes} bytes, for ${keep}`,
  ]
  return `${lines.join('\n')}\n`
}

function describeCapture({ request_id: id, key, model, at, readable, prompt, answer }: CaptureView): string {
  const lines = [`${id}  key ${key}, ${model ?? 'no model'}, ${at}`]
  if (!readable) lines.push('It was sealed with another secret and cannot be read.')
  if (prompt !== null)
    lines.push('', `prompt (${prompt.bytes} bytes${prompt.truncated ? ', the beginning' : ''}):`, prompt.text)
  if (answer !== null) {
    const marks = [answer.truncated && 'the beginning', answer.cut && 'broke off'].filter(Boolean)
    lines.push('', `answer (${[`${answer.bytes} bytes`, ...marks].join(', ')}):`, answer.text)
  }
  return `${lines.join('\n')}\n`
}

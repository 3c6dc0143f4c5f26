import type { Command } from 'commander'
import {
  appliedDraftSchema,
  type DraftSummary,
  type DraftView,
  draftListSchema,
  draftSummarySchema,
  draftViewSchema,
} from '../../admin/drafts/draft-contract.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { CommandContext } from '../command-context.ts'
import { addToList } from '../options/option-values.ts'
import { writePreview } from '../output/write-effects.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { writeUtcTime } from '../output/write-utc-time.ts'
import { mergeAssignments, readObjectFile } from '../remote/read-object.ts'
import { withServer } from '../remote/with-server.ts'

/** Adds `headgate drafts …`: changes of the configuration that are reviewed first and applied together. */
export function registerDraftsCommand(program: Command, context: CommandContext): void {
  const drafts = program
    .command('drafts')
    .description('changes of the configuration that are not in force yet, applied as one')
  registerList(drafts, context)
  registerCreate(drafts, context)
  registerShow(drafts, context)
  registerEdit(drafts, context)
  registerAdd(drafts, context)
  registerPut(drafts, context)
  registerPatch(drafts, context)
  registerRemove(drafts, context)
  registerRebase(drafts, context)
  registerApply(drafts, context)
  registerDiscard(drafts, context)
}

const columns: readonly TableColumn<DraftSummary>[] = [
  ['ID', ({ id }) => id],
  ['NAME', ({ name }) => name],
  ['AUTHOR', ({ author }) => author],
  ['CHANGED (UTC)', ({ changed_at }) => writeUtcTime(changed_at)],
  ['OF VERSION', ({ base_version, outdated }) => `${base_version}${outdated ? ' (outdated)' : ''}`],
  ['COMMENT', ({ comment }) => comment ?? ''],
]

const pathOf = (id: string) => `/drafts/${encodeURIComponent(id)}`

function registerList(drafts: Command, context: CommandContext): void {
  drafts
    .command('list')
    .description('list the drafts, the last changed first')
    .option('--json', 'print JSON')
    .action(({ json }: JsonChoice) =>
      withServer(context, async (call) => {
        const list = await call({ method: 'GET', path: '/drafts' }, draftListSchema)
        context.io.write(json ? writeJson(list) : writeTable(columns, list.data))
      }),
    )
}

interface CreateOptions extends JsonChoice {
  readonly comment?: string
  readonly fromVersion?: string
}

function registerCreate(drafts: Command, context: CommandContext): void {
  drafts
    .command('create')
    .description('begin a draft of the newest version')
    .argument('<name>')
    .option('--comment <text>', 'the reason, kept with the version that it becomes')
    .option('--from-version <number>', 'begin with the content of an older version; 0 is nothing')
    .option('--json', 'print JSON')
    .action((name: string, { json, comment, fromVersion }: CreateOptions) =>
      withServer(context, async (call) => {
        const body = {
          name,
          ...(comment !== undefined && { comment }),
          ...(fromVersion !== undefined && { from_version: Number(fromVersion) }),
        }
        const draft = await call({ method: 'POST', path: '/drafts', body }, draftSummarySchema)
        context.io.write(json ? writeJson(draft) : `The draft "${draft.name}" is ${draft.id}.\n`)
      }),
    )
}

function registerShow(drafts: Command, context: CommandContext): void {
  drafts
    .command('show')
    .description('show what a draft would change and do, in words')
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, { json }: JsonChoice) =>
      withServer(context, async (call) => {
        const view = await call({ method: 'GET', path: pathOf(id) }, draftViewSchema)
        context.io.write(json ? writeJson(view) : describeDraft(view))
      }),
    )
}

function describeDraft(view: DraftView): string {
  const conflicts = view.conflicts.map(
    ({ kind, name, mine, theirs }) => `conflict: ${kind} ${name}: ${mine} here, ${theirs} since\n`,
  )
  const head = view.outdated ? `There are versions after ${view.base_version}: rebase the draft first.\n` : ''
  return `${writeTable(columns, [view])}${head}${conflicts.join('')}\n${writePreview(view)}`
}

interface EditOptions extends JsonChoice {
  readonly name?: string
  readonly comment?: string
}

function registerEdit(drafts: Command, context: CommandContext): void {
  drafts
    .command('edit')
    .description('give a draft another name or comment')
    .argument('<id>')
    .option('--name <name>', 'another name')
    .option('--comment <text>', 'another comment')
    .option('--json', 'print JSON')
    .action((id: string, { json, ...body }: EditOptions) =>
      withServer(context, async (call) => {
        const draft = await call({ method: 'PATCH', path: pathOf(id), body }, draftSummarySchema)
        context.io.write(json ? writeJson(draft) : `The draft "${draft.name}" is changed.\n`)
      }),
    )
}

interface ObjectOptions extends JsonChoice {
  readonly set?: readonly string[]
  readonly from?: string
}

/** Adds a command on one object of a draft, given by its kind, such as channels, and its name. */
function addObjectCommand(drafts: Command, verb: string, description: string): Command {
  return drafts
    .command(verb)
    .description(description)
    .argument('<id>')
    .argument(
      '<kind>',
      'channels, models, groups, user-limits, budgets, settings, alert-rules or alert-receivers',
    )
    .argument('<name>')
}

function addFieldOptions(command: Command): Command {
  return command
    .option('--set <field=value>', 'a field, such as weight=3; repeat for more', addToList)
    .option('--from <file>', 'read fields from a YAML or JSON file; - is standard input')
    .option('--json', 'print JSON')
}

function readFields({ set = [], from }: ObjectOptions): JsonObject {
  return mergeAssignments(from === undefined ? {} : readObjectFile(from), set)
}

function registerAdd(drafts: Command, context: CommandContext): void {
  addFieldOptions(addObjectCommand(drafts, 'add', 'create an object in a draft, under a free name')).action(
    (id: string, kind: string, name: string, options: ObjectOptions) =>
      changeObject(context, { id, kind, name, options, method: 'POST' }),
  )
}

function registerPut(drafts: Command, context: CommandContext): void {
  addFieldOptions(addObjectCommand(drafts, 'put', 'replace an object in a draft, or create it there')).action(
    (id: string, kind: string, name: string, options: ObjectOptions) =>
      changeObject(context, { id, kind, name, options, method: 'PUT' }),
  )
}

function registerPatch(drafts: Command, context: CommandContext): void {
  addFieldOptions(addObjectCommand(drafts, 'patch', 'change some fields of an object in a draft')).action(
    (id: string, kind: string, name: string, options: ObjectOptions) =>
      changeObject(context, { id, kind, name, options, method: 'PATCH' }),
  )
}

function registerRemove(drafts: Command, context: CommandContext): void {
  addObjectCommand(drafts, 'remove', 'delete an object in a draft')
    .option('--json', 'print JSON')
    .action((id: string, kind: string, name: string, options: JsonChoice) =>
      changeObject(context, { id, kind, name, options, method: 'DELETE' }),
    )
}

interface ObjectOrder {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly options: ObjectOptions
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
}

function changeObject(
  context: CommandContext,
  { id, kind, name, options, method }: ObjectOrder,
): Promise<void> {
  return withServer(context, async (call) => {
    const path = `${pathOf(id)}/${encodeURIComponent(kind)}/${encodeURIComponent(name)}`
    const body = method === 'DELETE' ? {} : { body: readFields(options) }
    const draft = await call({ method, path, ...body }, draftSummarySchema)
    const done = `The draft "${draft.name}" has the change; "headgate drafts show ${id}" says what it does.\n`
    context.io.write(options.json ? writeJson(draft) : done)
  })
}

interface RebaseOptions extends JsonChoice {
  readonly prefer?: string
}

function registerRebase(drafts: Command, context: CommandContext): void {
  drafts
    .command('rebase')
    .description('make a draft a change of the newest version')
    .argument('<id>')
    .option('--prefer <side>', 'what stays where both changed an object: draft or newest')
    .option('--json', 'print JSON')
    .action((id: string, { json, prefer }: RebaseOptions) =>
      withServer(context, async (call) => {
        const body = prefer === undefined ? {} : { prefer }
        const path = `${pathOf(id)}/rebase`
        const draft = await call({ method: 'POST', path, body }, draftSummarySchema)
        context.io.write(
          json
            ? writeJson(draft)
            : `The draft "${draft.name}" is a change of version ${draft.base_version}.\n`,
        )
      }),
    )
}

interface ApplyOptions extends JsonChoice {
  readonly comment?: string
  readonly revision?: string
}

function registerApply(drafts: Command, context: CommandContext): void {
  drafts
    .command('apply')
    .description('put a draft in force as one version, whole or not at all')
    .argument('<id>')
    .option('--comment <text>', 'the reason, kept with the version')
    .option('--revision <number>', 'fail if the draft is at another revision')
    .option('--json', 'print JSON')
    .action((id: string, { json, comment, revision }: ApplyOptions) =>
      withServer(context, async (call) => {
        const body = {
          ...(comment !== undefined && { comment }),
          ...(revision !== undefined && { revision: Number(revision) }),
        }
        const applied = await call({ method: 'POST', path: `${pathOf(id)}/apply`, body }, appliedDraftSchema)
        const { version } = applied
        context.io.write(
          json
            ? writeJson(applied)
            : `Version ${version} is in use. "headgate config undo ${version}" takes it back.\n`,
        )
      }),
    )
}

function registerDiscard(drafts: Command, context: CommandContext): void {
  drafts
    .command('discard')
    .description('delete a draft')
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, { json }: JsonChoice) =>
      withServer(context, async (call) => {
        const draft = await call({ method: 'DELETE', path: pathOf(id) }, draftSummarySchema)
        context.io.write(json ? writeJson(draft) : `The draft "${draft.name}" is discarded.\n`)
      }),
    )
}

import type { Command } from 'commander'
import {
  changePreviewSchema,
  configViewSchema,
  versionListSchema,
} from '../../admin/config/config-contract.ts'
import type { CommandContext } from '../command-context.ts'
import { addToList } from '../options/option-values.ts'
import { writePreview } from '../output/write-effects.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import type { CallServer } from '../remote/call-server.ts'
import { mergeAssignments, readObjectFile } from '../remote/read-object.ts'
import { withServer } from '../remote/with-server.ts'

export interface StepOptions extends JsonChoice {
  readonly base?: string
  readonly comment?: string
}

interface RevertOptions extends StepOptions {
  readonly preview?: true
  readonly force?: true
}

export function readStep({ base, comment }: StepOptions): object {
  return {
    ...(base !== undefined && { base_version: Number(base) }),
    ...(comment !== undefined && { comment }),
  }
}

function addStepOptions(command: Command): Command {
  return command
    .option('--base <version>', 'fail if the newest version is another one')
    .option('--comment <text>', 'the reason, kept with the version')
    .option('--preview', 'show what it would do, without doing it')
    .option('--json', 'print JSON')
}

/** Adds the undo of the last change. With a number, it undoes what that version changed, and no later change. */
export function registerUndo(config: Command, context: CommandContext): void {
  const command = config
    .command('undo')
    .description('undo the last change; again, the one before it; with a number, what that version changed')
    .argument('[number]')
    .option('--force', 'with a number: undo what later versions changed of the same objects, too')
  addStepOptions(command).action((number: string | undefined, options: RevertOptions) =>
    withServer(context, async (call) => {
      if (options.preview) {
        const path =
          number === undefined
            ? await findLastStep(call)
            : `/config/versions/${encodeURIComponent(number)}/undo`
        return printPreview(call, path, { context, options })
      }
      const body = { ...readStep(options), ...(options.force && number !== undefined && { force: true }) }
      const path =
        number === undefined ? '/config/undo' : `/config/versions/${encodeURIComponent(number)}/undo`
      const view = await call({ method: 'POST', path, body }, configViewSchema)
      context.io.write(options.json ? writeJson(view) : `Version ${view.version} is in use.\n`)
    }),
  )
}

/**
 * The path of the preview of an undo without a number. The newest version can be an undo itself: the next undo goes
 * back to the version before the one that it restored.
 */
async function findLastStep(call: CallServer): Promise<string> {
  const { data } = await call({ method: 'GET', path: '/config/versions?limit=1' }, versionListSchema)
  const undone = data[0]?.restored_from ?? data[0]?.version ?? 0
  return `/config/versions/${undone === 0 ? '0/undo' : `${undone - 1}/restore`}`
}

export function registerRestore(config: Command, context: CommandContext): void {
  const command = config
    .command('restore')
    .description('create a new version with the content of an old one')
    .argument('<number>')
  addStepOptions(command).action((number: string, options: RevertOptions) =>
    withServer(context, async (call) => {
      const path = `/config/versions/${encodeURIComponent(number)}/restore`
      if (options.preview) return printPreview(call, path, { context, options })
      const view = await call({ method: 'POST', path, body: readStep(options) }, configViewSchema)
      context.io.write(options.json ? writeJson(view) : `Version ${view.version} is in use.\n`)
    }),
  )
}

interface Printing {
  readonly context: CommandContext
  readonly options: RevertOptions
}

/** Prints the preview. The exit code is 1 where the step itself would be refused. */
async function printPreview(call: CallServer, path: string, { context, options }: Printing): Promise<void> {
  const preview = await call({ method: 'GET', path }, changePreviewSchema)
  const conflicts = preview.conflicts.map(
    ({ kind, name }) => `conflict: ${kind} ${name}: later versions changed it as well\n`,
  )
  context.io.write(options.json ? writeJson(preview) : `${conflicts.join('')}${writePreview(preview)}`)
  if (!preview.ok || (conflicts.length > 0 && options.force !== true)) context.io.setExitCode(1)
}

interface PreviewOptions extends JsonChoice {
  readonly set?: readonly string[]
  readonly from?: string
  readonly replace?: true
  readonly remove?: true
}

export function registerConfigPreview(config: Command, context: CommandContext): void {
  config
    .command('preview')
    .description('show what a change of one object or setting would do, without making it')
    .argument(
      '<kind>',
      'channels, models, groups, user-limits, budgets, settings, alert-rules or alert-receivers',
    )
    .argument('<name>')
    .option('--set <field=value>', 'a field, such as weight=3; repeat for more', addToList)
    .option('--from <file>', 'read fields from a YAML or JSON file; - is standard input')
    .option('--replace', 'the fields are the whole object, which may be new')
    .option('--remove', 'the object is deleted')
    .option('--json', 'print JSON')
    .action((kind: string, name: string, options: PreviewOptions) =>
      withServer(context, async (call) => {
        const change = options.remove ? 'remove' : options.replace ? 'replace' : 'patch'
        const given = options.from === undefined ? {} : readObjectFile(options.from)
        const body = { kind, name, change, object: mergeAssignments(given, options.set ?? []) }
        const preview = await call({ method: 'POST', path: '/config/preview', body }, changePreviewSchema)
        context.io.write(options.json ? writeJson(preview) : writePreview(preview))
        if (!preview.ok) context.io.setExitCode(1)
      }),
    )
}

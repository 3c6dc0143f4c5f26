import type { Command } from 'commander'
import { z } from 'zod'
import {
  type CheckView,
  type ConfigView,
  checkViewSchema,
  configViewSchema,
  type VersionView,
  versionDetailSchema,
  versionDiffSchema,
  versionListSchema,
} from '../../admin/config/config-contract.ts'
import {
  readStep,
  registerConfigPreview,
  registerRestore,
  registerUndo,
  type StepOptions,
} from '../changes/config-steps.ts'
import type { CommandContext } from '../command-context.ts'
import { writeEffects } from '../output/write-effects.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { writeUtcTime } from '../output/write-utc-time.ts'
import { readObjectFile } from '../remote/read-object.ts'
import { withServer } from '../remote/with-server.ts'
import { writeQuery } from '../remote/write-query.ts'

/** Adds `headgate config …`: the running server's configuration, its versions, and how to undo them. */
export function registerConfigCommand(program: Command, context: CommandContext): void {
  const config = program
    .command('config')
    .description('show and change the configuration of the running server')
  registerShow(config, context)
  registerVersions(config, context)
  registerDiff(config, context)
  registerSchema(config, context)
  registerCheck(config, context)
  registerApply(config, context)
  registerConfigPreview(config, context)
  registerUndo(config, context)
  registerRestore(config, context)
}

function registerShow(config: Command, context: CommandContext): void {
  config
    .command('show')
    .description('show the configuration in use and the owner of each part')
    .option('--document', 'only the document that the admin API owns, as input for "config apply"')
    .option('--json', 'print JSON')
    .action(({ document, json }: JsonChoice & { readonly document?: true }) =>
      withServer(context, async (call) => {
        const view = await call({ method: 'GET', path: '/config' }, configViewSchema)
        if (document) context.io.write(writeJson(view.document))
        else context.io.write(json ? writeJson(view) : describeConfig(view))
      }),
    )
}

const columns: readonly TableColumn<VersionView>[] = [
  ['VERSION', ({ version }) => String(version)],
  ['WHEN (UTC)', ({ created_at }) => writeUtcTime(created_at)],
  ['WHO', ({ author }) => author],
  ['STATUS', ({ status }) => status.replace('_', ' ')],
  ['HOW', ({ action, restored_from }) => (restored_from === null ? action : `${action} to ${restored_from}`)],
  ['FROM', ({ address }) => address],
  ['COMMENT', ({ comment }) => comment ?? ''],
  [
    'CHANGES',
    ({ changes: [first = '', ...more] }) => (more.length === 0 ? first : `${first} (+${more.length})`),
  ],
]

function registerVersions(config: Command, context: CommandContext): void {
  config
    .command('versions')
    .description('list versions, newest first; with a number, show that one')
    .argument('[number]')
    .option('--limit <count>', 'number of versions, at most 100', '20')
    .option('--json', 'print JSON')
    .action((number: string | undefined, { limit, json }: JsonChoice & { readonly limit: string }) =>
      withServer(context, async (call) => {
        if (number !== undefined) {
          const path = `/config/versions/${encodeURIComponent(number)}`
          const view = await call({ method: 'GET', path }, versionDetailSchema)
          context.io.write(json ? writeJson(view) : describeVersion(view))
          return
        }
        const path = `/config/versions?limit=${encodeURIComponent(limit)}`
        const list = await call({ method: 'GET', path }, versionListSchema)
        context.io.write(json ? writeJson(list) : writeTable(columns, list.data))
      }),
    )
}

function registerDiff(config: Command, context: CommandContext): void {
  config
    .command('diff')
    .description('show what a version has otherwise than the one before, or than another')
    .argument('<number>')
    .option('--from <number>', 'the other version; 0 is the empty document')
    .option('--json', 'print JSON')
    .action((number: string, { from, json }: JsonChoice & { readonly from?: string }) =>
      withServer(context, async (call) => {
        const path = `/config/versions/${encodeURIComponent(number)}/diff${writeQuery({ from })}`
        const diff = await call({ method: 'GET', path }, versionDiffSchema)
        if (json) return context.io.write(writeJson(diff))
        if (diff.changes.length === 0) return context.io.writeError('Nothing differs.\n')
        context.io.write(diff.changes.map((change) => `${change}\n`).join(''))
      }),
    )
}

function registerSchema(config: Command, context: CommandContext): void {
  config
    .command('schema')
    .description('print the JSON Schema of the configuration, for editors')
    .option('--json', 'print JSON, as it does in any case')
    .action(() =>
      withServer(context, async (call) =>
        context.io.write(writeJson(await call({ method: 'GET', path: '/config/schema' }, z.looseObject({})))),
      ),
    )
}

function registerCheck(config: Command, context: CommandContext): void {
  config
    .command('check')
    .description('show what a YAML or JSON document would change, without changing anything')
    .argument('<file>')
    .option('--json', 'print JSON')
    .action((file: string, { json }: JsonChoice) =>
      withServer(context, async (call) => {
        const body = { document: readObjectFile(file) }
        const view = await call({ method: 'POST', path: '/config/check', body }, checkViewSchema)
        context.io.write(json ? writeJson(view) : describeCheck(view))
        if (!view.ok) context.io.setExitCode(1)
      }),
    )
}

function registerApply(config: Command, context: CommandContext): void {
  config
    .command('apply')
    .description('replace the document that the admin API owns with a YAML or JSON file; - is standard input')
    .argument('<file>')
    .option('--base <version>', 'fail if the newest version is another one')
    .option('--comment <text>', 'the reason, kept with the version')
    .option('--json', 'print JSON')
    .action((file: string, options: StepOptions) =>
      withServer(context, async (call) => {
        const body = { document: readObjectFile(file), ...readStep(options) }
        const view = await call({ method: 'PUT', path: '/config', body }, configViewSchema)
        context.io.write(options.json ? writeJson(view) : `Version ${view.version} is in use.\n`)
      }),
    )
}

function describeConfig({ version, serving, effective, problems, warnings }: ConfigView): string {
  const objects = [
    ...effective.channels.map(({ name, owner, disabled }) => ({
      kind: disabled ? 'channel (disabled)' : 'channel',
      name,
      owner,
    })),
    ...effective.models.map(({ name, owner }) => ({ kind: 'model', name, owner })),
    ...Object.entries(effective.settings).map(([name, { owner }]) => ({ kind: 'setting', name, owner })),
  ]
  const head =
    serving === version
      ? `Version ${version}.`
      : `Version ${version} cannot be used; version ${serving} is in use.`
  const table = writeTable(
    [
      ['WHAT', ({ kind }) => kind],
      ['NAME', ({ name }) => name],
      ['OWNER', ({ owner }) => owner],
    ],
    objects,
  )
  const notes = [
    ...problems.map(({ path, message }) => `problem: ${path}: ${message}\n`),
    ...warnings.map((warning) => `warning: ${warning}\n`),
  ]
  return `${head}\n${table}${notes.join('')}`
}

function describeVersion(view: VersionView & { readonly document: object | null }): string {
  const changes = view.changes.map((change) => `  ${change}\n`).join('')
  const document = view.document === null ? 'Its document is no longer stored.\n' : writeJson(view.document)
  return `${writeTable(columns.slice(0, -1), [view])}${changes}${document}`
}

function describeCheck(view: CheckView): string {
  const lines = [
    ...view.problems.map(({ path, message }) => `problem: ${path}: ${message}`),
    ...view.warnings.map((warning) => `warning: ${warning}`),
    ...view.changes,
    ...(view.ok ? [writeEffects(view).trimEnd()] : []),
    view.ok ? 'ok' : 'not ok; applying it would change nothing',
  ]
  return `${lines.join('\n')}\n`
}

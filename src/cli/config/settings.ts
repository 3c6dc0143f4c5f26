import type { Command } from 'commander'
import {
  type SectionView,
  type SettingsView,
  settingsViewSchema,
} from '../../admin/settings/settings-contract.ts'
import type { CommandContext } from '../command-context.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { withServer } from '../remote/with-server.ts'

const columns: readonly TableColumn<SectionView>[] = [
  ['SETTING', ({ name }) => name],
  ['OWNER', ({ owner }) => owner],
  ['AFTER A RESTART', ({ restart }) => (restart ? 'yes' : '')],
  ['VALUE', ({ value }) => (typeof value === 'string' ? value : JSON.stringify(value))],
]

/** Adds `headgate settings`. On failure it prints the reason in one line and sets the exit code to 1. */
export function registerSettingsCommand(program: Command, context: CommandContext): void {
  program
    .command('settings')
    .description('show the settings of the running server, defaults included, without secrets')
    .option('--json', 'print JSON')
    .action(({ json }: JsonChoice) =>
      withServer(context, async (call) => {
        const view = await call({ method: 'GET', path: '/settings' }, settingsViewSchema)
        context.io.write(json ? writeJson(view) : describe(view))
      }),
    )
}

function describe(view: SettingsView): string {
  const { certificate } = view
  const lines = [
    `Headgate ${view.version}, Node ${view.node}, ${view.platform}, process ${view.pid}, since ${view.started_at}`,
    `configuration: ${view.source ?? 'none'}, version ${view.config_version} of the admin API; data: ${view.data_folder}`,
    ...(certificate === null
      ? []
      : [`certificate of ${certificate.subject}, until ${certificate.expires_at}`]),
    ...view.warnings.map((warning) => `warning: ${warning}`),
  ]
  return `${lines.join('\n')}\n${writeTable(columns, view.sections)}`
}

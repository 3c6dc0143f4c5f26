import type { Command } from 'commander'
import { type ProviderView, providerListSchema } from '../../admin/models/provider-contract.ts'
import type { CommandContext } from '../command-context.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { withServer } from '../remote/with-server.ts'

const columns: readonly TableColumn<ProviderView>[] = [
  ['PROVIDER', ({ id }) => id],
  ['FORMATS', ({ formats }) => formats.join(',')],
  ['ADDRESS', ({ base_url: url, base_url_by: by }) => url ?? addressWords[by]],
  ['KEY', ({ key }) => key],
  [
    'SETTINGS',
    ({ settings }) => settings.map(({ name, required }) => (required ? name : `[${name}]`)).join(','),
  ],
  ['MODELS', ({ models, lists_models: lists }) => (lists ? 'listed' : (models?.join(',') ?? 'named by you'))],
]

const addressWords: Readonly<Record<ProviderView['base_url_by'], string>> = {
  default: '',
  settings: 'by its settings',
  channel: 'given by you',
  gateway: 'Headgate itself',
}

/** Adds `headgate providers`. On failure it prints the reason in one line and sets the exit code to 1. */
export function registerProvidersCommand(program: Command, context: CommandContext): void {
  program
    .command('providers')
    .description('list the providers with what a channel of each needs; optional settings in brackets')
    .option('--json', 'print JSON')
    .action(({ json }: JsonChoice) =>
      withServer(context, async (call) => {
        const list = await call({ method: 'GET', path: '/providers' }, providerListSchema)
        context.io.write(json ? writeJson(list) : writeTable(columns, list.data))
      }),
    )
}

import type { Command } from 'commander'
import { type ChannelTrial, channelTrialSchema } from '../../admin/certification/trial-contract.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import { plainLine } from '../../kit/bytes/plain-text.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { CommandContext } from '../command-context.ts'
import { addToList } from '../options/option-values.ts'
import { writeUsd } from '../output/usd.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { writeTable } from '../output/write-table.ts'
import { type ObjectOptions, readOrder } from '../remote/read-order.ts'
import { withServer } from '../remote/with-server.ts'
import { writeQuery } from '../remote/write-query.ts'
import { checkColumns } from '../served/certify.ts'
import { channelCommands } from './object-kinds.ts'

interface TryOptions extends ObjectOptions, JsonChoice {
  readonly model?: string
  /** The channel that the fields change. Absent for a new channel. */
  readonly channel?: string
}

/**
 * Adds `headgate channels try`, with the fields of `channels add`. The exit code is 1 where the channel does not work.
 */
export function registerTryCommand(commands: Command, context: CommandContext): void {
  const command = commands
    .command('try')
    .description(
      'find out whether a channel would work, before it is added or changed; one short request costs money',
    )
    .argument('[name]', 'of a new channel')
  channelCommands
    .addOptions(command)
    .option(
      '--set <field=value>',
      `any field, such as ${channelCommands.settable}; repeat for more`,
      addToList,
    )
    .option('--from <file>', 'read fields from a YAML or JSON file; - is standard input')
    .option('--channel <name>', 'try these fields as a change of a channel that is there')
    .option('--model <name>', 'the model to ask, by its public or its upstream name')
    .option('--json', 'print JSON')
    .action((name: string | undefined, { model, channel, json, ...options }: TryOptions) =>
      withServer(context, async (call) => {
        if ((name === undefined) === (channel === undefined)) throw oneName()
        const order: JsonObject = readOrder(options)
        const path = `/channel-trials${writeQuery({ model, channel })}`
        const body = { ...order, ...(name !== undefined && { name }) }
        const trial = await call({ method: 'POST', path, body }, channelTrialSchema)
        context.io.write(json ? writeJson(trial) : writeTrial(trial))
        if (!trial.works) context.io.setExitCode(1)
      }),
    )
}

function oneName(): OperatorError {
  const message = 'name a new channel, or with --channel one that is there'
  return new OperatorError('option_invalid', message)
}

function writeTrial({ model_list: list, models, more_models: more, ...trial }: ChannelTrial): string {
  const count = models.length + more
  const listed = list?.read === false ? `could not be read: ${list.reason ?? ''}` : `has ${count} models`
  const cost = trial.cost_usd === null ? 'its cost is not known' : `it cost ${writeUsd(trial.cost_usd)}`
  const lines = [
    ...(list === null ? [] : [`The list of the provider ${listed}.`]),
    ...(trial.model === null ? ['No model was asked.'] : [`The model ${trial.model} was asked; ${cost}.`]),
    ...(trial.credential_accepted ? ['The credential is accepted.'] : []),
    trial.works ? 'The channel would work.' : 'The channel would not work as it is.',
  ]
  const results = trial.results.length === 0 ? '' : writeTable(checkColumns, trial.results)
  return `${lines.map(plainLine).join('\n')}\n${results}`
}

import type { Command } from 'commander'
import { channelViewSchema } from '../../admin/config/config-contract.ts'
import type { CommandContext } from '../command-context.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { withServer } from '../remote/with-server.ts'
import { registerServedCommands } from '../served/served-models.ts'
import { registerMemberCommands } from './group-members.ts'
import { registerKind } from './object-commands.ts'
import { channelCommands, groupCommands, modelCommands, userLimitCommands } from './object-kinds.ts'
import { registerTryCommand } from './try-channel.ts'

/**
 * Adds `headgate channels …`, and the commands on models, groups and limits of users. The running server carries them
 * out.
 */
export function registerObjectCommands(program: Command, context: CommandContext): void {
  const commands = registerKind(program, context, channelCommands)
  registerServedCommands(registerKind(program, context, modelCommands), context)
  registerMemberCommands(registerKind(program, context, groupCommands), context)
  registerKind(program, context, userLimitCommands)
  registerTryCommand(commands, context)
  for (const name of ['disable', 'enable']) {
    commands
      .command(name)
      .description(
        name === 'disable'
          ? 'take a channel out of rotation until it is enabled'
          : 'put a disabled channel back into rotation',
      )
      .argument('<name>')
      .option('--json', 'print JSON')
      .action((channel: string, { json }: JsonChoice) =>
        withServer(context, async (call) => {
          const path = `/channels/${encodeURIComponent(channel)}/${name}`
          const view = await call({ method: 'POST', path }, channelViewSchema)
          context.io.write(json ? writeJson(view) : `The channel "${channel}" is ${name}d.\n`)
        }),
      )
  }
}

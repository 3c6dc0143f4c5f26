import type { Command, Option } from 'commander'

/** The words that may follow a command's words. */
export interface CompletionLevel {
  /** The command's words, such as `keys create`. Empty for `headgate` itself. */
  readonly path: string
  readonly commands: readonly CompletionWord[]
  readonly options: readonly CompletionOption[]
}

export interface CompletionWord {
  readonly word: string
  readonly description: string
}

export interface CompletionOption extends CompletionWord {
  /** Whether the option has a value. */
  readonly hasValue: boolean
  /** The possible values. Empty where any value is allowed. */
  readonly choices: readonly string[]
}

/** Lists every level of the command line, as in its help. */
export function listCompletions(program: Command): readonly CompletionLevel[] {
  return listLevels(program, '', [])
}

function listLevels(
  command: Command,
  path: string,
  inherited: readonly CompletionOption[],
): readonly CompletionLevel[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const options = [...help.visibleOptions(command).flatMap(describeOption), ...inherited]
  const own = { path, options, commands: commands.map(describeCommand) }
  const deeper = commands
    .filter((each) => each.name() !== 'help')
    .flatMap((each) =>
      listLevels(each, path === '' ? each.name() : `${path} ${each.name()}`, globalsOf(path, options)),
    )
  return [own, ...deeper]
}

/** The options of `headgate` itself, such as `--data`, which are valid with every command. */
function globalsOf(path: string, options: readonly CompletionOption[]): readonly CompletionOption[] {
  const isGlobal = ({ word }: CompletionOption) => ['--config', '--data', '--listen'].includes(word)
  return path === '' || options.some(isGlobal) ? options.filter(isGlobal) : []
}

function describeCommand(command: Command): CompletionWord {
  return { word: command.name(), description: command.description() }
}

function describeOption({ long, description, required, optional, argChoices }: Option): CompletionOption[] {
  if (long === undefined || long === null) return []
  return [{ word: long, description, hasValue: required || optional, choices: argChoices ?? [] }]
}

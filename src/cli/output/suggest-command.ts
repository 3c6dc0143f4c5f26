import type { Command } from 'commander'
import { nearestName } from '../../kit/schema/nearest-name.ts'

/** What to say of words that begin with no command, with the nearest command in front of the rest. */
export function describeUnknownCommand(program: Command, words: readonly string[]): string {
  const [unknown = '', ...rest] = words
  const names = program.commands.map((command) => command.name())
  const nearest = nearestName(unknown, names)
  if (nearest === undefined) return `there is no command "${unknown}"; "headgate --help" lists them`
  return `there is no command "${unknown}"; did you mean "headgate ${[nearest, ...rest].join(' ')}"?`
}

import type { Command } from 'commander'
import type { CommandIo } from '../output/command-io.ts'

/** The options of a list that is read page by page. */
export interface PageOptions {
  readonly sort?: string
  readonly limit?: string
  readonly after?: string
}

/**
 * Adds the page options. `sorts` are the fields for sorting. The first one is the default. Empty where the list has
 * only one order.
 */
export function addPageOptions(command: Command, sorts: readonly string[]): Command {
  if (sorts.length > 0)
    command.option('--sort <field>', `${writeChoice(sorts)}; with "-" in front descending`)
  return command
    .option('--limit <count>', 'number of rows, at most 1000 (default 50)')
    .option('--after <cursor>', 'the page that begins here')
}

/** Writes how to read the next page, where there is one. */
export function writeMore(next: string | null, { writeError }: Pick<CommandIo, 'writeError'>): void {
  if (next !== null) writeError(`More: --after ${next}\n`)
}

function writeChoice(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

import { type Command, Option } from 'commander'
import { OperatorError } from '../../canonical/operator-error.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import { readDayOrTime } from '../read-time.ts'

/** Options that select whose usage or rows are shown, and for which time span. */
export interface LedgerFilterOptions {
  readonly key?: string
  readonly user?: string
  readonly group?: string
  readonly model?: string
  readonly upstreamModel?: string
  readonly channel?: string
  readonly tag?: readonly string[]
  readonly since?: string
  readonly until?: string
  readonly timeZone?: string
}

export function addLedgerFilters(command: Command): Command {
  return command
    .option('--since <time>', 'ended since this day or time, or this long ago, such as 7d', readDayOrTime)
    .option('--until <time>', 'ended before this day or time', readDayOrTime)
    .option('--time-zone <zone>', 'by which days begin, such as Europe/Berlin (default UTC)')
    .option('--key <id|name>', 'of this key')
    .option('--user <user>', 'of this user')
    .option('--group <group>', 'of this group')
    .option('--model <name>', 'of this public model name')
    .option('--upstream-model <name>', "of this provider's name")
    .option('--channel <name>', 'of this channel')
    .addOption(
      new Option('--tag <name=value>', 'with this tag; repeat for more').argParser(
        (text: string, before: readonly string[] = []) => [...before, text],
      ),
    )
}

/** Converts the filters to the admin API's form. */
export function readLedgerFilters({ upstreamModel, timeZone, tag, ...options }: LedgerFilterOptions) {
  const { key, user, group, model, channel, since, until } = options
  return omitUndefined({
    key,
    user,
    group,
    model,
    channel,
    since,
    until,
    upstream_model: upstreamModel,
    time_zone: timeZone,
    tags: tag?.map(writeTag).join(','),
  })
}

function writeTag(text: string): string {
  const equals = text.indexOf('=')
  if (equals === -1)
    throw new OperatorError('option_invalid', `"${text}" must be a name and a value, such as team=search`)
  return `${text.slice(0, equals)}=${encodeURIComponent(text.slice(equals + 1))}`
}

import { type Command, Option } from 'commander'
import type { ChangeKey, CreateKey, KeyView } from '../admin/keys/key-contract.ts'
import { changeKeySchema, createKeySchema } from '../admin/keys/key-input-schema.ts'
import { checkInput } from '../admin/read-input.ts'
import { isJsonObject, type JsonObject } from '../kit/json/json.ts'
import { mergePatch } from '../kit/json/merge-patch.ts'
import { addToList, readTagOption, splitList } from './options/option-values.ts'
import { readWrittenBudget } from './remote/read-budget.ts'
import { mergeAssignments } from './remote/read-object.ts'

/** The key options of `create` and `edit`. */
export interface KeyOptions {
  readonly name?: string
  readonly models?: readonly string[]
  readonly user?: string
  readonly group?: string
  readonly expires?: string
  readonly allowIp?: readonly string[]
  readonly dryRunAllowed?: boolean
  readonly budget?: readonly string[]
  readonly rpm?: string
  readonly tpm?: string
  readonly concurrency?: string
  readonly tag?: readonly string[]
  readonly callerTags?: boolean
  readonly passthrough?: readonly string[]
  readonly set?: readonly string[]
}

export function addKeyOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--models <names>',
        'public model names that it may use, and patterns such as qwen*, separated by commas',
      ).argParser(splitList),
    )
    .option('--user <user>', 'the person or program that it belongs to')
    .option('--group <group>', 'the group of the key')
    .option('--expires <when>', 'when it expires, such as 2027-01-01, 2027-01-01T12:00:00Z, 30d or never')
    .option('--allow-ip <range>', 'an address or range that may use it; repeat for more', addParts)
    .option('--dry-run-allowed', 'let it ask where a request would go, with x-headgate-dry-run: 1')
    .option(
      '--budget <usd/window>',
      'what it may spend, such as 5/day or 50/month; repeat for more',
      addToList,
    )
    .option('--rpm <number>', 'requests in a minute')
    .option('--tpm <number>', 'tokens in a minute')
    .option('--concurrency <number>', 'requests in progress at once')
    .option('--tag <name=value>', 'a label of each of its requests; repeat for more', addToList)
    .option('--caller-tags', 'let requests have tags of their own')
    .addOption(
      new Option(
        '--passthrough <channels>',
        'channels whose own paths it may ask under /passthrough, separated by commas',
      ).argParser(splitList),
    )
    .option(
      '--set <field=value>',
      'any field, such as rate.wait=5s; null takes away; repeat for more',
      addToList,
    )
}

export function readCreateOptions(options: KeyOptions): CreateKey {
  return checkInput(createKeySchema, readFields(options))
}

/** Reads the options of an edit. Only the given parts of rates and tags change. All other values are replaced. */
export function readEditOptions(options: KeyOptions, before: KeyView): ChangeKey {
  const fields = readFields(options)
  const { rate, tags } = fields
  return checkInput(changeKeySchema, {
    ...fields,
    ...(isJsonObject(rate) && { rate: mergePatch({ ...before.rate }, rate) }),
    ...(isJsonObject(tags) && { tags: mergePatch({ ...before.tags }, tags) }),
  })
}

function readFields(options: KeyOptions): JsonObject {
  const { name, models, user, group, expires, allowIp, dryRunAllowed, budget, tag } = options
  const { callerTags, passthrough } = options
  const rate = readRate(options)
  const named: JsonObject = {
    ...(name !== undefined && { name }),
    ...(models !== undefined && { models }),
    ...(user !== undefined && { user }),
    ...(group !== undefined && { group }),
    ...(expires !== undefined && { expires_at: expires === 'never' ? null : expires }),
    ...(allowIp !== undefined && { allow_ips: allowIp }),
    ...(dryRunAllowed !== undefined && { dry_run: dryRunAllowed }),
    ...(budget !== undefined && { budgets: budget.map(readWrittenBudget) }),
    ...(Object.keys(rate).length > 0 && { rate }),
    ...(tag !== undefined && { tags: Object.fromEntries(tag.map(readTagOption)) }),
    ...(callerTags !== undefined && { caller_tags: callerTags }),
    ...(passthrough !== undefined && { passthrough }),
  }
  return mergeAssignments(named, options.set ?? [])
}

function readRate({ rpm, tpm, concurrency }: KeyOptions): JsonObject {
  return {
    ...(rpm !== undefined && { rpm: Number(rpm) }),
    ...(tpm !== undefined && { tpm: Number(tpm) }),
    ...(concurrency !== undefined && { concurrency: Number(concurrency) }),
  }
}

function addParts(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...splitList(text)]
}

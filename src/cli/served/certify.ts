import type { Command } from 'commander'
import {
  type CertificationPlan,
  type CertificationView,
  type CheckResultView,
  certificationListSchema,
  certificationPlanSchema,
  certificationSchema,
  checkNames,
} from '../../admin/certification/certification-contract.ts'
import { plainLine } from '../../kit/bytes/plain-text.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import { pause } from '../../kit/time/clock.ts'
import type { CommandContext } from '../command-context.ts'
import { readUsd, writeUsd } from '../output/usd.ts'
import { writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import type { CallServer } from '../remote/call-server.ts'
import { withServer } from '../remote/with-server.ts'
import { writeQuery } from '../remote/write-query.ts'

interface CertifyOptions {
  readonly model?: string
  readonly checks?: string
  readonly maxCost?: number
  readonly plan?: true
  readonly last?: true
  readonly json?: true
}

export interface CertifyContext extends CommandContext {
  /** A signal that is aborted when the person at the terminal interrupts the command. */
  readonly interrupted: () => AbortSignal
}

/**
 * Adds `headgate certify`. The exit code is 1 where a check fails or was not tried, and where the command itself fails.
 * The command then prints the reason in one line.
 */
export function registerCertifyCommand(program: Command, context: CertifyContext): void {
  program
    .command('certify')
    .description('find out what truly works on a channel and its models, by requests that cost money')
    .argument('<channel>')
    .option('--model <name>', 'one of its models, by its public or its upstream name; all unless given')
    .option('--checks <names>', `of ${checkNames.join(', ')}, separated by commas; all unless given`)
    .option('--max-cost <usd>', 'for each model: a check that could exceed it is not tried', readUsd)
    .option('--plan', 'show what would be sent and what it can cost, and send nothing')
    .option('--last', 'show what was found out last, and send nothing')
    .option('--json', 'print JSON')
    .action((channel: string, options: CertifyOptions) =>
      withServer(context, (call) => certify(channel, options, { ...context, call })),
    )
}

interface CertifyParts extends CertifyContext {
  readonly call: CallServer
}

async function certify(channel: string, options: CertifyOptions, parts: CertifyParts): Promise<void> {
  const { io, call } = parts
  if (options.last === true) return showLast(channel, options, parts)
  const path = `/channels/${encodeURIComponent(channel)}`
  const { model, checks } = options
  const plan = await call(
    { method: 'GET', path: `${path}/certification-plan${writeQuery({ model, checks })}` },
    certificationPlanSchema,
  )
  if (options.plan === true) {
    io.write(options.json === true ? writeJson(plan) : writePlan(plan))
    return
  }
  io.writeError(writePlan(plan))
  const wanted = checks?.split(',').map((name) => name.trim())
  const body = omitUndefined({ model, checks: wanted, max_cost_usd: options.maxCost })
  const started = await call(
    { method: 'POST', path: `${path}/certifications`, body },
    certificationListSchema,
  )
  const data = await follow(started.data, parts)
  conclude(data, options, parts)
}

async function showLast(
  channel: string,
  { model, ...options }: CertifyOptions,
  parts: CertifyParts,
): Promise<void> {
  const named = omitUndefined({ channel, model, newest: 'true', limit: '200' })
  const query = new URLSearchParams(Object.entries(named))
  const { data } = await parts.call(
    { method: 'GET', path: `/certifications?${query}` },
    certificationListSchema,
  )
  conclude(data, options, parts)
  if (data.length > 0) return
  parts.io.writeError('Nothing was certified there yet.\n')
  parts.io.setExitCode(1)
}

const POLL_MS = 500

/** Waits until all certifications have ended, and prints results as they arrive. An interruption cancels them. */
async function follow(
  started: readonly CertificationView[],
  { call, io, interrupted }: CertifyParts,
): Promise<readonly CertificationView[]> {
  const signal = interrupted()
  const known = new Set<string>()
  let shown = started
  let isCancelled = false
  while (shown.some(isOpen)) {
    if (signal.aborted && !isCancelled) {
      isCancelled = true
      for (const { id } of shown.filter(isOpen))
        await call({ method: 'POST', path: `/certifications/${id}/cancel` }, certificationSchema)
    }
    await pause(POLL_MS)
    shown = await Promise.all(shown.map((each) => (isOpen(each) ? readAgain(each, call) : each)))
    for (const each of shown) for (const result of each.results) writeProgress(each, result)
  }
  return shown

  function writeProgress({ id, model }: CertificationView, result: CheckResultView): void {
    const key = `${id} ${result.check}`
    if (known.has(key)) return
    known.add(key)
    io.writeError(plainLine(`${model}: ${result.check}: ${words[result.outcome]}`).concat('\n'))
  }
}

function readAgain({ id }: CertificationView, call: CallServer): Promise<CertificationView> {
  return call({ method: 'GET', path: `/certifications/${id}` }, certificationSchema)
}

function isOpen({ state }: CertificationView): boolean {
  return state === 'queued' || state === 'running'
}

const words: Readonly<Record<CheckResultView['outcome'], string>> = {
  works: 'works',
  does_not_work: 'does not work',
  not_offered: 'not offered',
  not_tried: 'not tried',
}

function conclude(
  data: readonly CertificationView[],
  { json }: Pick<CertifyOptions, 'json'>,
  { io }: CertifyParts,
): void {
  io.write(json === true ? writeJson({ data }) : data.map(writeCertification).join('\n'))
  const isGood = ({ outcome }: CheckResultView) => outcome === 'works' || outcome === 'not_offered'
  if (!data.every(({ state, results }) => state === 'done' && results.every(isGood))) io.setExitCode(1)
}

export const checkColumns: readonly TableColumn<CheckResultView>[] = [
  ['CHECK', ({ check }) => check],
  ['OUTCOME', ({ outcome }) => words[outcome]],
  ['FOUND', ({ message }) => message],
]

function writeCertification(view: CertificationView): string {
  const cost = view.cost_usd === null ? 'its cost is not known' : `it cost ${writeUsd(view.cost_usd)}`
  const title = `${view.channel}/${view.model} (${view.upstream_model}), ${view.state}, ${view.started_at}; ${cost}`
  return `${plainLine(title)}\n${writeTable(checkColumns, view.results)}`
}

function writePlan({ models, requests, estimated_cost_usd: cost }: CertificationPlan): string {
  const names = models.map(({ model }) => model).join(', ')
  const bound =
    cost === null ? 'the cost is not known, since a model has no price' : `${writeUsd(cost)} at most`
  return `${plainLine(`${requests} ${requests === 1 ? 'request' : 'requests'} at most for ${names}: ${bound}`)}\n`
}

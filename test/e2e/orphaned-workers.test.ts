import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { channelYaml } from '../support/channel-yaml.ts'
import { createGate } from '../support/gate.ts'
import { sampleStreams } from '../support/sample-streams.ts'
import { openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { callChat } from '../support/slow-caller.ts'
import { startWorkers, workerKey } from '../support/start-workers.ts'
import { until } from '../support/until.ts'

it('requests that workers finish after the death of their supervisor are in the ledger', async () => {
  const gate = createGate()
  const { frames } = sampleStreams.chat
  await using upstream = await openScriptedUpstream(() =>
    sseAnswer([...frames.slice(0, 3), gate.opened, ...frames.slice(3)]),
  )
  const channel = channelYaml({ name: 'first', format: 'chat', origin: upstream.origin, models: ['m'] })
  await using workers = await startWorkers(`${channel}models: { m: { price: { input: 1, output: 2 } } }\n`, 1)
  const pids = [...workers.pids('owner'), ...workers.pids('worker')]
  const begun = Promise.withResolvers<void>()
  const answer = callChat(workers.url, { key: workerKey, stream: true, onBegun: begun.resolve })
  await begun.promise
  workers.child.kill('SIGKILL')
  await until('the supervisor is gone', () => workers.child.signalCode !== null)
  gate.open()
  expect(await answer).toMatchObject({ status: 200, isWhole: true })
  const isGone = () => pids.every((pid) => !existsSync(`/proc/${pid}`))
  // They wait for each other, and for no limit of time: the drain alone is 30 s.
  await until('all others have ended', isGone, { deadlineMs: 15_000 })
  const ledger = new DatabaseSync(join(workers.folder, 'data', 'ledger.db'), { readOnly: true })
  const rows = ledger.prepare('select count(*) as count from ledger where cost > 0').get()
  ledger.close()
  expect(rows).toEqual({ count: 1 })
})

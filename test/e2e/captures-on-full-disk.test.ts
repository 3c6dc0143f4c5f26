import { expect, it } from 'vitest'
import { canMountDisks, openSmallDisk } from '../support/small-disk.ts'
import { startProcess } from '../support/start-process.ts'
import { untilAsync } from '../support/until.ts'

const LIMIT_MS = 90_000
const key = 'sk-captured-0123456789'
const yaml = `channels: [{ name: demo, provider: demo }]
capture: { bodies: both }
keys: [{ name: ci, secret: ${key}, models: ["*"] }]
`

it.runIf(canMountDisks).each([
  ['one process', yaml],
  ['a worker', `${yaml}workers: 1\n`],
])('%s stores no captures while the disk has little room', { timeout: LIMIT_MS }, async (_name, text) => {
  using disk = openSmallDisk(64)
  await using server = await startProcess(text, {}, { folder: disk.folder, startsWithinMs: LIMIT_MS })
  let asked = 0
  const ask = async () => {
    asked += 1
    const answer = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    await answer.arrayBuffer()
  }
  const count = async (outcome: string) => {
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    const line = `headgate_captures_total{outcome="${outcome}"} `
    return Number(
      metrics
        .split('\n')
        .find((each) => each.startsWith(line))
        ?.slice(line.length) ?? 0,
    )
  }
  disk.fillUntil(5 * 1024 ** 2)
  // Each process sees within a second that the disk is low.
  await untilAsync('a capture is dropped', async () => {
    await ask()
    return (await count('dropped')) > 0
  })
  // Captures are stored after their answers.
  await untilAsync(
    'each capture is stored or dropped',
    async () => (await count('stored')) + (await count('dropped')) === asked,
  )
  const [droppedBefore, storedBefore] = [await count('dropped'), await count('stored')]
  await ask()
  await untilAsync('another one is dropped', async () => (await count('dropped')) > droppedBefore)
  expect(await count('stored')).toBe(storedBefore)
})

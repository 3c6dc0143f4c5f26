// Groups as clients of the admin API see them. This file imports no code but schemas, so that a browser can import it.
import { z } from 'zod'
import { captureModeSchema } from '../captures/capture-fields.ts'
import { listObjectsSchema, objectListSchema, objectViewSchema } from '../config/config-contract.ts'
import { nextAfterSchema, pageFields, sortField } from '../paging/page-fields.ts'
import { roleSchema } from '../people/people-contract.ts'

export const groupViewSchema = objectViewSchema.extend({
  members: z
    .number()
    .nullable()
    .meta({ description: 'How many users are in it; null for members who do not manage it.' }),
  managers: z.array(z.string()).meta({ description: 'The names of its managers.' }),
  keys: z
    .number()
    .nullable()
    .meta({ description: 'How many keys it has that are not revoked; null as above.' }),
  capture: captureModeSchema.meta({
    description: 'What is stored of prompts and answers of its keys, where they have no entry of their own.',
  }),
})

export const groupListSchema = objectListSchema.extend({ data: z.array(groupViewSchema) })

export const groupSorts = ['name', 'members', 'keys'] as const
export const listGroupsSchema = listObjectsSchema.extend({ sort: sortField(groupSorts) })

const memberViewSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: roleSchema,
  status: z.enum(['active', 'disabled']),
  manager: z.boolean(),
})

export const memberListSchema = z.object({ data: z.array(memberViewSchema), next_after: nextAfterSchema })
export const listMembersSchema = z.strictObject(pageFields)

export const putMemberSchema = z.strictObject({
  manager: z
    .boolean({ error: 'must be true or false' })
    .optional()
    .meta({ description: "Whether the user manages the group's keys; false if absent." }),
})

export const removedMemberSchema = z.object({
  group: z.string(),
  user: z.string(),
  keys: z.number().meta({ description: 'Keys of the user in the group that are not revoked: they stay.' }),
})

export type GroupView = Readonly<z.output<typeof groupViewSchema>>
export type GroupList = Omit<Readonly<z.output<typeof groupListSchema>>, 'version'>
export type MemberView = Readonly<z.output<typeof memberViewSchema>>
export type MemberList = Readonly<z.output<typeof memberListSchema>>
export type ListGroups = Readonly<z.input<typeof listGroupsSchema>>
export type ListMembers = Readonly<z.input<typeof listMembersSchema>>
export type PutMember = Readonly<z.input<typeof putMemberSchema>>
export type RemovedMember = Readonly<z.output<typeof removedMemberSchema>>

import {
  channelsOf,
  modelsOf,
  nameOf,
  withChannels,
  withModels,
} from '../../config/source/document-objects.ts'
import { writePath } from '../../config/source/write-path.ts'
import type { JsonObject } from '../../kit/json/json.ts'

/** A kind of named object that a configuration document holds, and how to reach one. */
export interface ObjectKind {
  readonly word: 'channel' | 'model'
  /** The object with its name in it. */
  find(document: JsonObject, name: string): JsonObject | undefined
  list(document: JsonObject): readonly JsonObject[]
  /** Replaces the object of the same name, or is appended. */
  put(document: JsonObject, object: JsonObject): JsonObject
  remove(document: JsonObject, name: string): JsonObject
  pathOf(document: JsonObject, name: string): string
}

export const channelKind: ObjectKind = {
  word: 'channel',
  find: (document, name) => channelsOf(document).find((channel) => nameOf(channel) === name),
  list: channelsOf,
  put(document, object) {
    const channels = channelsOf(document)
    const index = channels.findIndex((channel) => nameOf(channel) === nameOf(object))
    const next = index === -1 ? [...channels, object] : channels.with(index, object)
    return withChannels(document, next)
  },
  remove: (document, name) =>
    withChannels(
      document,
      channelsOf(document).filter((channel) => nameOf(channel) !== name),
    ),
  pathOf(document, name) {
    const index = channelsOf(document).findIndex((channel) => nameOf(channel) === name)
    return writePath(['channels', index])
  },
}

export const modelKind: ObjectKind = {
  word: 'model',
  find(document, name) {
    const model = modelsOf(document).get(name)
    return model === undefined ? undefined : { ...model, name }
  },
  list: (document) => [...modelsOf(document)].map(([name, model]) => ({ ...model, name })),
  put(document, object) {
    const { name: _, ...model } = object
    return withModels(document, new Map(modelsOf(document)).set(nameOf(object), model))
  },
  remove: (document, name) =>
    withModels(
      document,
      [...modelsOf(document)].filter(([known]) => known !== name),
    ),
  pathOf: (_document, name) => writePath(['models', name]),
}

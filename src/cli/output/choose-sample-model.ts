import type { App } from '../../app/app.ts'

/** Words in the names of models that do not converse. */
const OTHER_USES =
  /embed|whisper|tts|dall-e|image|imagen|veo|sora|audio|realtime|transcri|moderation|guard|rerank|davinci|babbage|-instruct$|search|computer-use|aqa|bge-|e5-/i

/** A public name to show in an example: one that converses, of the first channel that has one. */
export function chooseSampleModel({
  channels,
  models,
  findRoute,
}: ReturnType<App['catalog']['current']>): string | undefined {
  const names = models.map(({ name }) => name)
  const conversing = names.filter((name) => !OTHER_USES.test(name))
  for (const { name: channelName } of channels) {
    const served = conversing.find((name) =>
      findRoute(name)?.targets.some(({ channel }) => channel.name === channelName),
    )
    if (served !== undefined) return served
  }
  return conversing[0] ?? names[0]
}

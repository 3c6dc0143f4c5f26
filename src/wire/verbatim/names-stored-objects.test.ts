import { describe, expect, it } from 'vitest'
import { namesStoredObjects } from './names-stored-objects.ts'

describe('namesStoredObjects', () => {
  it.each([
    '{"cachedContent":"cachedContents/1"}',
    '{"cached_content" : "cachedContents/1"}',
    '{"contents":[{"parts":[{"fileData":{"fileUri":"https://x/files/1"}}]}]}',
    '{"parts":[{"file_data":{"file_uri":"gs://b/o"}}]}',
    '{"conversation":"conv_1"}',
    '{"conversation": {"id":"conv_1"}}',
    '{"input":[{"type":"item_reference","id":"rs_1"}]}',
    '{"prompt":{"id":"pmpt_1"}}',
    '{"tools":[{"type":"file_search","vector_store_ids":["vs_1"]}]}',
    '{"tools":[{"container":{"file_ids":["file_1"]}}]}',
    '{"messages":[{"content":[{"type":"file","file":{"file_id":"file_1"}}]}]}',
    '{"container":"container_1"}',
    '{"previous_response_id":"resp_1"}',
    '{"image_url":{"url":"gs://bucket/o.png"}}',
    '{"document":{"source":{"s3Location":{"uri":"x"}}}}',
    '{"cached\\u0043ontent":"cachedContents/1"}',
    '{"uri":"https://generativelanguage.googleapis.com/v1beta/files/abc"}',
    '{"uri":"https:\\/\\/generativelanguage.googleapis.com\\/v1beta\\/files\\/abc"}',
  ])('is true of %s', (text) => {
    expect(namesStoredObjects([Buffer.from(text)])).toBe(true)
    const halves = [text.slice(0, 12), text.slice(12)].map((half) => Buffer.from(half))
    expect(namesStoredObjects(halves)).toBe(true)
  })

  it.each([
    '{"model":"m","prompt":"Say hi"}',
    '{"messages":[{"role":"user","content":"Use \\"file_id\\": 1 and gs:\\u002f\\u002f"}]}',
    '{"contents":[{"parts":[{"inlineData":{"data":"aGk="}}]}]}',
    '{"messages":[{"content":[{"type":"file","file":{"file_data":"data:x"}}]}]}',
    '{"uri":"https://storage.googleapis.com/bucket/profiles/a"}',
  ])('is false of %s', (text) => {
    expect(namesStoredObjects([Buffer.from(text)])).toBe(false)
  })

  it('reads a long body with many near matches in one pass', () => {
    expect(namesStoredObjects([Buffer.from('googleapis.com/'.repeat(500_000))])).toBe(false)
  })
})

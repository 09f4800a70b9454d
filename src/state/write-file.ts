// Writes files whole: all bytes of a buffer, and a new file in the place of another.

import { type FileHandle, open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes all bytes at a position. */
export async function writeWhole(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written, bytes.length - written, position + written)).bytesWritten
  }
}

/**
 * Writes a file under another name, syncs it, and puts it in the place of `path`: whole, or not at all. Returns the open file.
 */
export async function writeInPlace(path: string, write: (handle: FileHandle) => Promise<void>): Promise<FileHandle> {
  const made = `${path}.new`
  const handle = await open(made, 'w+')
  try {
    await write(handle)
    await handle.datasync()
    await rename(made, path)
  } catch (error) {
    await handle.close()
    await unlink(made).catch(() => {})
    throw error
  }
  await syncFolder(dirname(path))
  return handle
}

/** Makes a rename durable. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {
    // Some file systems cannot sync a folder.
  }
}

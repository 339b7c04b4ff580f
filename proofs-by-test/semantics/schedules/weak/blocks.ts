/** The text of a kernel of which one thread of each block does something: `%rd1` is its words, `%rd2` what it puts out, `%r0` the number of the block. */
export const ofBlocks = (name: string, begins: string, does: string): string =>
  `.version 8.5
.target sm_90a
.address_size 64
.visible .entry ${name}(.param .u64 words, .param .u64 out)
{
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [words];
  ld.param.u64 %rd2, [out];
  mov.u32 %r0, %tid.x;
  setp.ne.u32 %p1, %r0, 0;
  @%p1 ret;
${begins}  mov.u32 %r0, %ctaid.x;
${does}}
`

"""Writes contraction.ptx, its launch and its operands: each case is a product and the sums behind it, by 256 threads on operands of their own. What the chip leaves, `../../cuda/run.py` writes (OUT `contraction`, this folder beside it)."""
import numpy as np
cases=[]
def f32(n,body,outs): cases.append((n,'f32',body,outs))
f32('one','mul.f32 p,x,y; add.f32 s,p,z;','s')
f32('rn_product','mul.rn.f32 p,x,y; add.f32 s,p,z;','s')
f32('rn_sum','mul.f32 p,x,y; add.rn.f32 s,p,z;','s')
f32('used','mul.f32 p,x,y; add.f32 s,p,z;','sp')
f32('two_sums','mul.f32 p,x,y; add.f32 s,p,z; sub.f32 q,w,p;','sq')
f32('minus','mul.f32 p,x,y; sub.f32 s,p,z;','s')
f32('from','mul.f32 p,x,y; sub.f32 s,z,p;','s')
f32('neg','mul.f32 p,x,y; neg.f32 q,p; add.f32 s,z,q;','s')
f32('mov','mul.f32 p,x,y; mov.f32 q,p; sub.f32 s,z,q;','s')
f32('left','mul.f32 p,x,y; mul.f32 q,z,w; add.f32 s,p,q;','s')
f32('right','mul.f32 q,z,w; mul.f32 p,x,y; sub.f32 s,q,p;','s')
f32('fewer','mul.f32 p,x,y; mul.f32 q,z,w; add.f32 s,p,q; add.f32 r,p,x;','sr')
f32('itself','mul.f32 p,x,y; add.f32 s,p,p;','s')
f32('ftz','mul.ftz.f32 p,x,y; add.ftz.f32 s,p,z;','s')
f32('ftz_apart','mul.ftz.f32 p,x,y; add.f32 s,p,z;','s')
f32('sat','mul.f32 p,x,y; add.sat.f32 s,p,z;','s')
f32('sat_product','mul.sat.f32 p,x,y; add.f32 s,p,z;','s')
f32('guarded','mul.f32 p,x,y; mov.f32 s,w; setp.gt.f32 t,w,0f00000000; @t add.f32 s,p,z;','s')
f32('written_again','mul.f32 p,x,y; mov.f32 x,w; add.f32 s,p,x;','s')
f32('barrier','mul.f32 p,x,y; bar.sync 0; add.f32 s,p,z;','s')
f32('full','div.full.f32 p,x,y; add.f32 s,p,z;','s')
f32('full_used','div.full.f32 p,x,y; add.f32 s,p,z;','sp')
f32('full_from','div.full.f32 p,x,y; sub.f32 s,z,p; sub.f32 q,w,p;','sq')
f32('full_full','div.full.f32 p,x,y; div.full.f32 q,z,w; sub.f32 s,p,q;','s')
f32('full_ftz','div.full.ftz.f32 p,x,y; add.ftz.f32 s,p,z;','s')
f32('approx','div.approx.f32 p,x,y; add.f32 s,p,z;','s')
f32('approx_ftz','div.approx.ftz.f32 p,x,y; sub.ftz.f32 s,p,z;','s')
f32('full_rn','div.full.f32 p,x,y; add.rn.f32 s,p,z;','s')
for t in('f16','bf16','f16x2','bf16x2','f64'):
    def c(n,body,outs): cases.append((t+'_'+n,t,body.replace('T',t),outs))
    c('one','mul.T p,x,y; add.T s,p,z;','s'); c('rn','mul.rn.T p,x,y; add.T s,p,z;','s')
    c('from','mul.T p,x,y; sub.T s,z,p;','s'); c('minus','mul.T p,x,y; sub.T s,p,z;','s')
    c('left','mul.T p,x,y; mul.T q,z,w; sub.T s,p,q;','s'); c('used','mul.T p,x,y; add.T s,p,z;','sp')
    if t!='f64': c('mov',f'mul.T p,x,y; mov.b{32 if "x2" in t else 16} q,p; add.T s,q,z;','s')
N=256
reg={'f32':'.f32','f64':'.f64','f16':'.b16','bf16':'.b16','f16x2':'.b32','bf16x2':'.b32'}
size={'f32':4,'f64':8,'f16':2,'bf16':2,'f16x2':4,'bf16x2':4}
ld={'f32':'f32','f64':'f64','f16':'b16','bf16':'b16','f16x2':'b32','bf16x2':'b32'}
out='.version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry contraction(.param .u64 in4, .param .u64 in2, .param .u64 in8, .param .u64 out4, .param .u64 out2, .param .u64 out8) {\n.reg .b32 %i; .reg .b64 a4, a2, a8, o4, o2, o8, k4, k2, k8, b0, b1;\nmov.u32 %i, %tid.x; ld.param.u64 a4,[in4]; ld.param.u64 a2,[in2]; ld.param.u64 a8,[in8]; ld.param.u64 o4,[out4]; ld.param.u64 o2,[out2]; ld.param.u64 o8,[out8];\nmul.wide.u32 k4,%i,4; mul.wide.u32 k2,%i,2; mul.wide.u32 k8,%i,8; add.s64 a4,a4,k4; add.s64 a2,a2,k2; add.s64 a8,a8,k8; add.s64 o4,o4,k4; add.s64 o2,o2,k2; add.s64 o8,o8,k8;\n'
at={2:0,4:0,8:0}
names=[]
for n,t,body,outs in cases:
    s=size[t]
    out+='{ .reg %s x, y, z, w, p, q, r, s; .reg .pred t; .reg .b64 o; mov.u64 o, o%d;\n'%(reg[t],s)
    for j,v in enumerate('xyzw'): out+=f'ld.global.{ld[t]} {v}, [a{s}+{j*N*s}]; '
    out+='\n'+body.replace('o+2048','o')+'\n'
    for v in outs: out+=f'st.global.{ld[t]} [o{s}+{at[s]*N*s}], {v};\n'; names.append((n,v,s,at[s])); at[s]+=1
    out+='}\n'
out+='ret;\n}\n'
if __name__=='__main__':
    import os, sys
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
    sys.path.insert(0, '../cuda')
    open('contraction/contraction.ptx','w').write(out)
    print(at,len(cases))
    from launches import Launch, HERE
    import launches; launches.HERE = os.getcwd()
    l=Launch('contraction',[1],[256]); r=l.random
    def mix(dt,edges,bits,exp):
        a=np.zeros((4,256),np.uint64)
        k=r.integers(0,3,(4,256))
        rnd=r.integers(0,2**bits,(4,256),dtype=np.uint64)
        ed=r.choice(np.array(edges,np.uint64),(4,256))
        near=(r.standard_normal((4,256)))
        return k,rnd,ed,near
    e4=[0,0x80000000,1,0x807fffff,0x00800000,0x7f7fffff,0xff7fffff,0x7f800000,0xff800000,0x7fc00000,0x7f800001,0x3f800000,0xbf800000,0x3f800001,0x00ffffff,0x7e800001]
    k,rnd,ed,near=mix('f4',e4,32,8); v4=np.where(k==0,rnd,np.where(k==1,ed,near.astype('<f4').view('<u4'))).astype('<u4')
    # sums that cancel: z near - x * y
    f=v4.view('<f4').copy()
    with np.errstate(all='ignore'): f[2,::3]=-(f[0,::3].astype('f8')*f[1,::3]).astype('<f4')
    v4=f.view('<u4')
    e2=[0,0x8000,1,0x83ff,0x0400,0x7bff,0x7c00,0xfc00,0x7e00,0x3c00,0xbc00,0x3f80,0xbf80,0x7f80,0x7fc0,0x0080]
    k,rnd,ed,near=mix('f2',e2,16,5); v2=np.where(k==0,rnd,np.where(k==1,ed,near.astype('<f2').view('<u2'))).astype('<u2')
    h=v2.view('<f2').copy()
    with np.errstate(all='ignore'): h[2,::3]=-(h[0,::3].astype('f4')*h[1,::3]).astype('<f2')
    v2=h.view('<u2')
    # pairs of halves stand among the words, too
    e8=[0,1<<63,1,0x000fffffffffffff,0x0010000000000000,0x7fefffffffffffff,0x7ff0000000000000,0x7ff8000000000000,0x3ff0000000000000]
    k,rnd,ed,near=mix('f8',e8,64,11); v8=np.where(k==0,rnd,np.where(k==1,ed,near.view('<u8'))).astype('<u8')
    d=v8.view('<f8').copy()
    d[np.isnan(d)]=1.0
    with np.errstate(all='ignore'): d[2,::3]=np.nan_to_num(-(d[0,::3]*d[1,::3]),nan=2.0)
    v8=d.view('<u8')
    l.args+=[l.taken('in4','u32',v4),l.taken('in2','u16',v2),l.taken('in8','u64',v8),l.left('out4','u32',(at[4],256)),l.left('out2','u16',(at[2],256)),l.left('out8','u64',(at[8],256))]
    l.put()
